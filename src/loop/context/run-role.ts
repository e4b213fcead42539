import { hasLostConversation, type AgentRun } from '../../model/agent/agent.ts'
import { nothingSpent, spentBy, withSpent } from '../../model/attempt/spending.ts'
import { Fault } from '../../model/fault.ts'
import type { RoleAgent } from '../ports.ts'
import { isAnothersTurn, isProviderFailure, type AgentLimits } from './limits.ts'
import type { WatchedRun } from './own-waits.ts'
import type { Waiting } from './provider-waits.ts'

/** Runs the first agent of a role that its provider lets run. Null when none could: the session is halted then. */
export async function runRole(
  agents: readonly RoleAgent[],
  ask: (agent: RoleAgent, watched: WatchedRun) => Promise<AgentRun>,
  { limits, ...waiting }: Waiting & { readonly limits: AgentLimits },
): Promise<AgentRun | null> {
  const refused: AgentRun[] = []
  let spent = nothingSpent
  for (const [index, roleAgent] of agents.entries()) {
    if (limits.halted()) break
    const isLast = index === agents.length - 1
    if (!isLast && limits.isGivenUp(roleAgent.agent)) continue
    const run = withSpent(
      await limits.run(roleAgent.agent, (watched) => ask(roleAgent, watched), waiting),
      spent,
    )
    if (!isAnothersTurn(run)) return run
    spent = spentBy(run)
    refused.push(run)
  }
  if (limits.halted()) return null
  const [first] = refused
  if (!first) throw new Fault('agent_unavailable', 'no agent is configured for this role')
  const own = refused.find((run) => !isProviderFailure(run))
  if (own) return { ...own, tokens: spent.tokens, cost_usd: spent.usd }
  limits.haltAfter(first)
  return null
}

/** Goes on with a conversation. One that the agent has lost begins anew: the prompt holds all that was said before. */
export async function continueOrBegin<Known>(
  known: Known | null,
  ask: (known: Known | null) => Promise<AgentRun>,
): Promise<AgentRun> {
  const run = await ask(known)
  return known !== null && hasLostConversation(run) ? withSpent(await ask(null), spentBy(run)) : run
}
