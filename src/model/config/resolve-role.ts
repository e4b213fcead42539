import { parseDuration } from '../duration.ts'
import { kindOf, type AgentKind } from './agent-kind.ts'
import {
  asAgent,
  followNames,
  namedAgents,
  type AgentConfig,
  type RoleAgentConfig,
  type AgentsAsWritten,
} from './agents.ts'
import type { RoleName, WrittenRole } from './written.ts'

const roleTimeoutsMs: Readonly<Record<RoleName, number>> = {
  fixer: 900_000,
  challenger: 120_000,
  reviewers: 900_000,
  clarifier: 900_000,
  planner: 900_000,
  reproducer: 900_000,
  pr_reviewers: 900_000,
}

interface KnownAgents {
  readonly agents: AgentsAsWritten
  readonly kinds: readonly AgentKind[]
}

/** The role in full; only for agents that `checkAgents` has no problem with. */
export function resolveRole(
  role: RoleName,
  written: WrittenRole,
  { agents, kinds }: KnownAgents,
): RoleAgentConfig {
  const named = namedAgents(agents)
  const resolve = (entry: WrittenRole, defaultMs: number): AgentConfig => {
    const agent = asAgent(entry)
    const full = followNames(agent, named, kinds) ?? agent
    const { use } = full
    const thinking = kindOf(kinds, use)?.thinkingBudgets?.[role === 'pr_reviewers' ? 'reviewers' : role]
    const { max_turns, permissions, home, env, args } = full
    return {
      name: agent.use,
      use,
      run: full.run ?? null,
      model: full.model ?? null,
      thinking_budget: full.thinking_budget ?? thinking ?? null,
      timeout_ms: full.timeout === undefined ? defaultMs : (parseDuration(full.timeout) ?? defaultMs),
      ...(max_turns === undefined ? {} : { max_turns }),
      ...(permissions === undefined ? {} : { permissions }),
      ...(home === undefined ? {} : { home }),
      ...(env === undefined ? {} : { env }),
      ...(args === undefined ? {} : { args }),
    }
  }
  const first = resolve(written, roleTimeoutsMs[role])
  const fallback = asAgent(written).fallback ?? []
  return { ...first, fallback: fallback.map((entry) => resolve(entry, first.timeout_ms)) }
}
