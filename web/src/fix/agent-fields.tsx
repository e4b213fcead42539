import type { PreflightOutcome } from '../../../src/model/api/fix.ts'
import { SelectField } from '../ui/field.tsx'
import type { FixOptions } from './options.ts'

export interface SettingProps {
  /** What the configuration alone would do. */
  readonly configured: PreflightOutcome
  /** What the session would do with the options of the person. */
  readonly outcome: PreflightOutcome
  readonly options: FixOptions
  readonly onChange: (next: FixOptions) => void
}

/** The agents of the session: who is ready, with which model, and who could do it instead. */
export const AgentFields = (given: SettingProps) => (
  <div className="grid gap-4 md:grid-cols-3">
    <RoleField {...given} role="fixer" label="Fixes" />
    {given.outcome.settings.challenge ? (
      <RoleField {...given} role="challenger" label="Challenges" />
    ) : (
      <SelectField label="Challenges" disabled hint="switched off in the configuration">
        <option>nobody</option>
      </SelectField>
    )}
    <ReproducerField {...given} />
  </div>
)

type Role = 'fixer' | 'challenger' | 'reproducer'

const agentOf = ({ roles }: PreflightOutcome, role: Role) =>
  roles.find((one) => one.role === role && !one.is_fallback)

function RoleField({
  role,
  label,
  configured,
  outcome,
  options,
  onChange,
}: SettingProps & { readonly role: 'fixer' | 'challenger'; readonly label: string }) {
  return (
    <SelectField
      label={label}
      value={options[role]}
      hint={<Readiness agent={agentOf(outcome, role)} chosen={options[role]} />}
      onChange={({ target }) => onChange({ ...options, [role]: target.value })}
    >
      <option value="">{agentOf(configured, role)?.name ?? 'nobody'} (configured)</option>
      {outcome.choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </SelectField>
  )
}

/** A reproducer can also be left out, or be asked although the configuration asks none. */
function ReproducerField({ configured, outcome, options, onChange }: SettingProps) {
  const { reproduce: isConfigured } = configured.settings
  const isAsked = options.reproduce === 'auto' || (options.reproduce === '' && isConfigured !== false)
  const choose = (value: string) =>
    onChange({
      ...options,
      reproducer: value.startsWith('by ') ? value.slice(3) : '',
      reproduce: value === 'nobody' ? 'no' : value !== '' && isConfigured === false ? 'auto' : '',
    })
  const value = options.reproduce === 'no' ? 'nobody' : options.reproducer && `by ${options.reproducer}`
  const asConfigured =
    isConfigured === false ? 'nobody' : (agentOf(configured, 'reproducer')?.name ?? 'nobody')
  return (
    <SelectField
      label="Reproduces"
      value={value}
      hint={
        isAsked ? (
          <Readiness agent={agentOf(outcome, 'reproducer')} chosen={options.reproducer} />
        ) : (
          'no test is written beforehand'
        )
      }
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">{asConfigured} (configured)</option>
      {isConfigured !== false && <option value="nobody">nobody</option>}
      {outcome.choices.map((choice) => (
        <option key={choice} value={`by ${choice}`}>
          {choice}
        </option>
      ))}
    </SelectField>
  )
}

interface ReadinessProps {
  readonly agent: ReturnType<typeof agentOf>
  /** The agent that the person chose, which the server may not have answered for yet. */
  readonly chosen: string
}

const Readiness = ({ agent, chosen }: ReadinessProps) =>
  agent &&
  (chosen === '' || agent.name === chosen) && (
    <span className={agent.available ? '' : 'text-bad'}>
      {agent.available ? 'ready' : (agent.reason ?? 'cannot be used')}, model{' '}
      {agent.model ?? 'of its own choice'}
    </span>
  )
