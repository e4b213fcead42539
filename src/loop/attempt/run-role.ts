import type { AgentRun } from '../../model/agent/agent.ts'
import { nothingSpent, spentBy, withSpent } from '../../model/attempt/spending.ts'
import { Fault } from '../../model/fault.ts'
import { haltFor, isProviderFailure, type Limits } from '../session/limits.ts'
import type { Rest } from '../session/slots.ts'
import type { RoleAgent } from '../ports.ts'

/** Runs the first agent of a role that its provider lets run. Null when none could: the session is halted then. */
export async function runRole(
  agents: readonly RoleAgent[],
  ask: (agent: RoleAgent) => Promise<AgentRun>,
  limits: Limits,
  signal: AbortSignal,
  rest?: Rest,
): Promise<AgentRun | null> {
  let refused: AgentRun | null = null
  let spent = nothingSpent
  for (const roleAgent of agents) {
    if (limits.halted()) break
    const run = withSpent(await limits.run(roleAgent.agent, () => ask(roleAgent), signal, rest), spent)
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
