import { useQuery } from '@tanstack/react-query'
import type { PreflightOutcome, PreflightRequest } from '../../../src/model/api/fix.ts'
import { api } from '../api/client.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { formatCost, formatDuration, formatWord } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'
import { Shown } from '../ui/states.tsx'
import { complaintOf, type FixOptions, type NumberOption } from './options.ts'

interface Props {
  readonly request: PreflightRequest
  readonly options: FixOptions
  readonly onChange: (next: FixOptions) => void
}

/** The agents that would fix and judge, the checks and limits, and the possible cost, all shown before anything begins. */
export function PreflightCard({ request, options, onChange }: Props) {
  const query = useQuery({
    queryKey: ['preflight', request],
    queryFn: () => api.preflight(request),
    staleTime: 60_000,
    placeholderData: (before: PreflightOutcome | undefined) => before,
  })
  return (
    <Card title="Before it begins" note={query.data && <Estimate outcome={query.data} />}>
      <Shown query={query} rows={4}>
        {(outcome) => (
          <div className="flex flex-col gap-5">
            <Obstacles outcome={outcome} />
            <Agents outcome={outcome} options={options} onChange={onChange} />
            <Limits outcome={outcome} options={options} onChange={onChange} />
            <Checks request={request} outcome={outcome} />
          </div>
        )}
      </Shown>
    </Card>
  )
}

function Estimate({ outcome }: { readonly outcome: PreflightOutcome }) {
  const { estimated_cost_usd: cost, estimated_ms: ms } = outcome
  if (cost === null && ms === null) return <>No earlier session to estimate from</>
  return (
    <>
      {[
        cost === null ? 'Cost unknown' : `About ${formatCost(cost)}`,
        ms !== null && `about ${formatDuration(Math.max(1_000, ms))}`,
      ]
        .filter(Boolean)
        .join(', ')}
      , judging by earlier sessions
    </>
  )
}

const Obstacles = ({ outcome: { blocking, warnings } }: { readonly outcome: PreflightOutcome }) => (
  <ul className="flex flex-col gap-1 empty:hidden">
    {blocking.map((text) => (
      <li key={text} role="alert" className="text-bad wrap-anywhere">
        {text}
      </li>
    ))}
    {warnings.map((text) => (
      <li key={text} className="text-warn wrap-anywhere">
        {text}
      </li>
    ))}
  </ul>
)

interface SettingProps extends Pick<Props, 'options' | 'onChange'> {
  readonly outcome: PreflightOutcome
}

const roles = [
  { role: 'fixer', name: 'fixer', label: 'Fixes' },
  { role: 'challenger', name: 'challenger', label: 'Challenges' },
  { role: 'reproducer', name: 'reproducer', label: 'Reproduces' },
] as const

/** Whether the configuration asks nobody for a role. */
const isOff = {
  fixer: () => false,
  challenger: ({ challenge }) => !challenge,
  reproducer: ({ reproduce }) => reproduce === false,
} satisfies Readonly<
  Record<(typeof roles)[number]['role'], (settings: PreflightOutcome['settings']) => boolean>
>

function Agents({ outcome, options, onChange }: SettingProps) {
  return (
    <div className="grid gap-4 md:grid-cols-3">
      {roles.map(({ role, name, label }) => {
        const agent = outcome.roles.find((one) => one.role === role && !one.is_fallback)
        if (isOff[role](outcome.settings))
          return (
            <SelectField key={role} label={label} disabled hint="switched off in the configuration">
              <option>nobody</option>
            </SelectField>
          )
        return (
          <SelectField
            key={role}
            label={label}
            value={options[name]}
            hint={
              agent && (
                <span className={agent.available ? '' : 'text-bad'}>
                  {agent.available ? 'ready' : (agent.reason ?? 'cannot be used')}, model{' '}
                  {agent.model ?? 'of its own choice'}
                </span>
              )
            }
            onChange={({ target }) => onChange({ ...options, [name]: target.value })}
          >
            <option value="">{agent?.name ?? 'nobody'} (configured)</option>
            {outcome.choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </SelectField>
        )
      })}
    </div>
  )
}

function Limits({ outcome: { settings }, options, onChange }: SettingProps) {
  const bind = (name: NumberOption) => ({
    value: options[name],
    inputMode: 'decimal' as const,
    complaint: complaintOf(name, options),
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange({ ...options, [name]: target.value }),
  })
  const choose = (name: 'strategy' | 'scope' | 'minEvidence') => ({
    value: options[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange({ ...options, [name]: target.value }),
  })
  return (
    <div className="grid grid-cols-2 gap-4 md:grid-cols-3 lg:grid-cols-6">
      <SelectField label="Strategy" {...choose('strategy')}>
        <option value="">{formatWord(settings.strategy)}</option>
        {['isolated', 'sequential', 'single-call'].map((name) => (
          <option key={name} value={name}>
            {formatWord(name)}
          </option>
        ))}
      </SelectField>
      <TextField label="Rounds at most" placeholder={String(settings.max_rounds)} {...bind('maxRounds')} />
      <TextField label="At once" placeholder={String(settings.concurrency)} {...bind('concurrency')} />
      <TextField
        label="Budget in $"
        placeholder={settings.budget_usd === null ? 'no limit' : String(settings.budget_usd)}
        {...bind('budget')}
      />
      <SelectField label="May change" {...choose('scope')}>
        <option value="">{settings.path ?? formatWord(settings.scope)}</option>
        <option value="related">Related files</option>
        <option value="repository">The whole repository</option>
      </SelectField>
      <SelectField label="Evidence needed" {...choose('minEvidence')}>
        <option value="">{settings.min_evidence}</option>
        {['E0', 'E1', 'E2', 'E3', 'E4'].map((grade) => (
          <option key={grade}>{grade}</option>
        ))}
      </SelectField>
    </div>
  )
}

const tones: Readonly<Record<PreflightOutcome['checks'][number]['status'], Tone>> = {
  green: 'ok',
  red: 'warn',
  unusable: 'bad',
  unknown: 'muted',
}

const said: Readonly<Record<PreflightOutcome['checks'][number]['status'], string>> = {
  green: 'Green on the base',
  red: 'Red on the base',
  unusable: 'Can judge nothing',
  unknown: 'Not tried yet',
}

/** The checks that decide; on request they run on the base, as they do in a session before any agent begins. */
function Checks({
  request,
  outcome,
}: {
  readonly request: PreflightRequest
  readonly outcome: PreflightOutcome
}) {
  const run = useQuery({
    queryKey: ['preflight', request, 'run'],
    queryFn: () => api.preflight({ ...request, run: true }),
    enabled: false,
    retry: false,
  })
  const checks = run.data?.checks ?? outcome.checks
  return (
    <section aria-label="Checks" className="flex flex-col gap-2">
      <div className="flex items-center gap-3">
        <h3 className="mr-auto text-xs font-semibold text-muted">Checks</h3>
        {checks.length > 0 && (
          <Button disabled={run.isFetching} onClick={() => void run.refetch()}>
            {run.isFetching ? 'Running the checks…' : 'Run the checks now'}
          </Button>
        )}
      </div>
      {checks.length === 0 && <p className="text-warn">None is configured.</p>}
      <ul className="flex flex-col gap-1">
        {checks.map(({ name, run: line, status, duration_ms: ms, reason }) => (
          <li key={name} className="flex flex-wrap items-baseline gap-x-3">
            <span className="w-24 font-medium">{name}</span>
            <Badge tone={tones[status]}>{said[status]}</Badge>
            {ms !== null && <span className="text-xs text-muted">{formatDuration(ms)}</span>}
            <code className="min-w-0 truncate font-mono text-xs text-muted">{line}</code>
            {reason !== null && <span className="basis-full text-warn wrap-anywhere">{reason}</span>}
          </li>
        ))}
      </ul>
      {run.error && (
        <p role="alert" className="text-bad">
          {run.error.message}
        </p>
      )}
    </section>
  )
}
