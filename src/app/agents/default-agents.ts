import type { WrittenConfig } from '../../model/config/settings.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { cliKinds, isCliKind, type CliKind } from './cli-agents.ts'
import { findProgram } from './find-program.ts'
import { loginState } from './login-state.ts'

type Agents = NonNullable<WrittenConfig['agents']>

const fixersFirst: readonly CliKind[] = ['claude', 'codex', 'gemini']
const challengersFirst: readonly CliKind[] = ['gemini', 'codex', 'claude']
const reviewersFirst: readonly CliKind[] = ['claude', 'gemini', 'codex']

/** The vendors' CLIs that are installed and have something to log in with. */
export const usableAgents = (env: Variables): readonly CliKind[] =>
  cliKinds.filter((kind) => findProgram(kind, env['PATH']) !== null && loginState(kind, env, null).loggedIn)

/**
 * Who works when nobody says so: one vendor fixes, another challenges, two review. `fixer` is who was chosen to
 * fix, if anybody was. Without any of them the built-in rules stay.
 */
export function defaultAgents(usable: readonly CliKind[], fixer: string | null): Agents | null {
  const first = fixersFirst.find((kind) => usable.includes(kind))
  if (first === undefined) return null
  const chosen = fixer !== null && isCliKind(fixer) ? fixer : first
  const [challenger = first, ...others] = challengersFirst.filter(
    (kind) => usable.includes(kind) && kind !== chosen,
  )
  const role = others.length > 0 ? { use: challenger, fallback: others } : challenger
  const reviewers = reviewersFirst.filter((kind) => usable.includes(kind)).slice(0, 2)
  return { fixer: first, challenger: role, reviewers } as Agents
}
