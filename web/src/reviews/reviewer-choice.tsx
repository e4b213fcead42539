import type { AgentList } from '../../../src/model/api/system.ts'

interface Choice {
  readonly name: string
  readonly model: string | null
  /** Why the reviewer cannot be chosen; null when it can. */
  readonly reason: string | null
  readonly isConfigured: boolean
}

/** The possible reviewers: the configured ones first, then every other agent of this machine. */
export function reviewersOf({ agents, roles }: AgentList): readonly Choice[] {
  const configured = roles
    .filter(({ role, is_fallback }) => role === 'reviewer' && !is_fallback)
    .map(({ name, model, reason }) => ({ name, model, reason, isConfigured: true }))
  const names = new Set(configured.map(({ name }) => name))
  const others = agents
    .filter(({ name }) => !names.has(name))
    .map(({ name, hint }) => ({ name, model: null, reason: hint, isConfigured: false }))
  return [...configured, ...others]
}

interface Props {
  readonly choices: readonly Choice[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

export const ReviewerChoice = ({ choices, chosen, onChange }: Props) => (
  <fieldset className="flex flex-wrap gap-x-5 gap-y-2">
    <legend className="mb-1 text-xs font-medium">Reviewers</legend>
    {choices.map(({ name, model, reason, isConfigured }) => (
      <label key={name} className="flex items-center gap-2" title={reason ?? undefined}>
        <input
          type="checkbox"
          className="size-4 accent-solid"
          disabled={reason !== null && !isConfigured}
          checked={chosen.has(name)}
          onChange={({ target }) => {
            const next = new Set(chosen)
            if (target.checked) next.add(name)
            else next.delete(name)
            onChange(next)
          }}
        />
        <span className={reason === null ? '' : 'text-muted'}>
          {name}
          {model !== null && <span className="text-muted"> {model}</span>}
          {reason !== null && <span className="text-xs text-muted"> · not ready</span>}
        </span>
      </label>
    ))}
  </fieldset>
)
