import type { AgentRun } from '../../model/agent/agent.ts'
import { Fault } from '../../model/fault.ts'
import { haltFor, isProviderFailure, type Limits } from '../session/limits.ts'
import type { RoleAgent } from '../ports.ts'

/** Runs the first agent of a role that its provider lets run. Null when none could: the session is halted then. */
export async function runRole(
  agents: readonly RoleAgent[],
  ask: (agent: RoleAgent) => Promise<AgentRun>,
  limits: Limits,
  signal: AbortSignal,
): Promise<AgentRun | null> {
  let refused: AgentRun | null = null
  for (const roleAgent of agents) {
    const run = await limits.run(roleAgent.agent, () => ask(roleAgent), signal)
    if (!isProviderFailure(run)) return run
    refused ??= run
  }
  if (!refused) throw new Fault('agent_unavailable', 'no agent is configured for this role')
  const halt = haltFor(refused)
  if (halt) limits.halt(halt)
  return null
}
