import type { AgentDefinition, RankedRole } from '../../adapters/agents/definition/definition.ts'
import { findProgram } from '../../adapters/agents/definition/find-program.ts'
import { readLogin } from '../../adapters/agents/definition/login.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { kindOf } from '../../model/config/agent-kind.ts'
import type { WrittenConfig } from '../../model/config/settings.ts'

type Agents = NonNullable<WrittenConfig['agents']>

/** Those that may work when nobody chose an agent: installed, and with something to log in with. */
export const usableAgents = (kinds: readonly AgentDefinition[], env: Variables): readonly string[] =>
  kinds.flatMap(({ kind, cli, ranks }) => {
    const isHere = cli && findProgram(cli.program, env['PATH']) !== null
    return ranks && isHere && readLogin(cli.login, env, null).loggedIn ? [kind] : []
  })

interface Candidates {
  readonly usable: readonly string[]
  /** Who was chosen to fix, if anybody was. */
  readonly fixer: string | null
}

/** The agents that work when nobody chose one: one vendor fixes, another challenges, two review. Without any of them the built-in rules stay. */
export function defaultAgents(
  kinds: readonly AgentDefinition[],
  { usable, fixer }: Candidates,
): Agents | null {
  const inOrder = (role: RankedRole): readonly string[] =>
    kinds
      .flatMap(({ kind, ranks }) => (ranks && usable.includes(kind) ? [{ kind, rank: ranks[role] }] : []))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ kind }) => kind)
  const [first] = inOrder('fixer')
  if (first === undefined) return null
  const chosen = kindOf(kinds, fixer ?? '')?.ranks ? fixer : first
  const [challenger = first, ...others] = inOrder('challenger').filter((kind) => kind !== chosen)
  const role = others.length > 0 ? { use: challenger, fallback: others } : challenger
  return { fixer: first, challenger: role, reviewers: inOrder('reviewers').slice(0, 2) } as Agents
}
