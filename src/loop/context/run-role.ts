import { hasLostConversation, type AgentRun } from '../../model/agent/agent.ts'
import { nothingSpent, spentBy, withSpent } from '../../model/attempt/spending.ts'
import { Fault } from '../../model/fault.ts'
import type { RoleAgent } from '../ports.ts'
import { haltFor, isProviderFailure, type AgentLimits, type Waiting } from './limits.ts'

/** Runs the first agent of a role that its provider lets run. Null when none could: the session is halted then. */
export async function runRole(
  agents: readonly RoleAgent[],
  ask: (agent: RoleAgent) => Promise<AgentRun>,
  { limits, ...waiting }: Waiting & { readonly limits: AgentLimits },
): Promise<AgentRun | null> {
  let refused: AgentRun | null = null
  let spent = nothingSpent
  for (const roleAgent of agents) {
    if (limits.halted()) break
    const run = withSpent(await limits.run(roleAgent.agent, () => ask(roleAgent), waiting), spent)
    if (!isProviderFailure(run)) return run
    spent = spentBy(run)
    refused ??= run
  }
  if (limits.halted()) return null
  if (!refused) throw new Fault('agent_unavailable', 'no agent is configured for this role')
  const halt = haltFor(refused)
  if (halt) limits.halt(halt)
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
