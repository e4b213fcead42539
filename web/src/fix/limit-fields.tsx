import { SelectField, TextField } from '../ui/field.tsx'
import { formatWord, shortSha } from '../ui/format.ts'
import type { SettingProps } from './agent-fields.tsx'
import { complaintOf, type FixOptions, type NumberOption } from './options.ts'

interface Typed {
  readonly target: { readonly value: string }
}

/** How the session works and what it needs; a field without a value shows what the configuration says. */
export function LimitFields({ configured: { settings, base }, options, onChange }: SettingProps) {
  const bind = (name: keyof FixOptions & ('strategy' | 'scope' | 'minEvidence' | 'base' | NumberOption)) => ({
    value: options[name],
    onChange: ({ target }: Typed) => onChange({ ...options, [name]: target.value }),
  })
  const number = (name: NumberOption, configured: string | number) => ({
    ...bind(name),
    inputMode: 'decimal' as const,
    placeholder: String(configured),
    complaint: complaintOf(name, options),
  })
  return (
    <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
      <SelectField label="Strategy" {...bind('strategy')}>
        <Choices configured={settings.strategy} choices={strategies} />
      </SelectField>
      <TextField label="Rounds at most" {...number('maxRounds', settings.max_rounds)} />
      <TextField label="At once" {...number('concurrency', settings.concurrency)} />
      <TextField label="Budget in $" {...number('budget', settings.budget_usd ?? 'no limit')} />
      <SelectField label="May change" {...bind('scope')}>
        {settings.path !== null && <option value="">{settings.path}</option>}
        <Choices configured={settings.path === null ? settings.scope : null} choices={scopes} />
      </SelectField>
      <SelectField label="Evidence needed" {...bind('minEvidence')}>
        <Choices configured={settings.min_evidence} choices={grades} />
      </SelectField>
      <TextField
        label="Score needed"
        {...number('threshold', settings.threshold)}
        disabled={!settings.challenge}
      />
      <TextField label="Start from" placeholder={`HEAD, at ${shortSha(base.commit)}`} {...bind('base')} />
    </div>
  )
}

const strategies: Words = { isolated: 'Isolated', sequential: 'Sequential', 'single-call': 'Single call' }
const scopes: Words = { related: 'Related files', repository: 'The whole repository' }
const grades: Words = { E0: 'E0', E1: 'E1', E2: 'E2', E3: 'E3', E4: 'E4' }

type Words = Readonly<Record<string, string>>

interface ChoicesProps {
  /** The value that holds without a choice; null when none of these does. */
  readonly configured: string | null
  readonly choices: Words
}

/** What is configured comes first; every other value stands once. */
const Choices = ({ configured, choices }: ChoicesProps) => (
  <>
    {configured !== null && <option value="">{choices[configured] ?? formatWord(configured)}</option>}
    {Object.entries(choices).map(
      ([value, word]) =>
        value !== configured && (
          <option key={value} value={value}>
            {word}
          </option>
        ),
    )}
  </>
)
