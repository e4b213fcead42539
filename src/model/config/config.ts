import type { Role } from '../agent/agent.ts'
import { type AgentKind, kindOf } from './agent-kind.ts'
import {
  checkAgents,
  type ConfigProblem,
  type RoleAgentConfig,
  asAgent,
  followNames,
  namedAgents,
  type AgentConfig,
  type AgentsAsWritten,
} from './agents.ts'
import { resolveSettings, type FullOf } from './setting.ts'
import { defaultConfig, settings, type WrittenConfig } from './settings.ts'
import { builtInAgent, type RoleName, type WrittenRole } from './written.ts'
import { Fault } from '../fault.ts'
import { parseDuration } from '../duration.ts'

/** The configuration in full: every value present, durations in milliseconds, names followed. */
export type Config = Omit<FullOf<typeof settings>, 'agents'> & { readonly agents: AgentsConfig }

/** Who has which role. */
interface AgentsConfig {
  readonly fixer: RoleAgentConfig
  readonly challenger: RoleAgentConfig
  readonly reviewers: readonly RoleAgentConfig[]
  readonly clarifier: RoleAgentConfig
  readonly planner: RoleAgentConfig
  readonly reproducer: RoleAgentConfig
  readonly pr_reviewers: readonly RoleAgentConfig[]
}

/** Who has a role, in the order of the configuration. */
export const agentsOfRole = (agents: AgentsConfig, role: Role): readonly RoleAgentConfig[] => {
  if (role === 'reviewer') return agents.reviewers
  return role === 'pr_reviewer' ? agents.pr_reviewers : [agents[role]]
}

/** Faults that no single value shows: settings that contradict each other once all layers are put together. */
export function checkConfig(merged: WrittenConfig, kinds: readonly AgentKind[]): readonly ConfigProblem[] {
  const { budget_usd: all, issue_budget_usd: one } = merged.fix ?? {}
  const budget =
    all !== undefined && one !== undefined && one > all
      ? [
          {
            path: ['fix', 'issue_budget_usd'],
            message: `one issue may not cost more than the session (fix.budget_usd: ${all})`,
          },
        ]
      : []
  const { min_evidence } = merged.land ?? {}
  const unreachable =
    min_evidence === 'E4' && merged.evidence?.reproduce === false
      ? [
          {
            path: ['evidence', 'reproduce'],
            message: 'nothing could ever land: land.min_evidence: E4 asks for a test that a reproducer wrote',
          },
        ]
      : []
  return [...budget, ...unreachable, ...checkAgents(merged.agents ?? {}, kinds)]
}

/**
 * Puts written layers together, later ones over earlier ones and all of them over the defaults, in full. `kinds` are
 * the agents that exist by themselves; every other name is one that the configuration gives.
 */
export function resolveConfig(kinds: readonly AgentKind[], ...layers: readonly WrittenConfig[]): Config {
  const merged = mergeWritten(defaultConfig, ...layers)
  const problems = checkConfig(merged, kinds)
  if (problems.length > 0) {
    const lines = problems.map((problem) => `${problem.path.join('.')}: ${problem.message}`)
    throw new Fault('config_invalid', lines.join('\n'), { details: { problems } })
  }
  return { ...resolveSettings(settings, merged), agents: resolveAgents(merged, kinds) }
}

function resolveAgents(merged: WrittenConfig, kinds: readonly AgentKind[]): Config['agents'] {
  const agents = merged.agents ?? {}
  const known = { agents, kinds }
  const roleOf = (
    role: Exclude<RoleName, 'reviewers' | 'pr_reviewers'>,
    otherwise: WrittenRole,
  ): RoleAgentConfig => resolveRole(role, agents[role] ?? otherwise, known)
  const fixer = agents.fixer ?? builtInAgent
  return {
    fixer: roleOf('fixer', builtInAgent),
    challenger: roleOf('challenger', builtInAgent),
    reviewers: (agents.reviewers ?? []).map((reviewer) => resolveRole('reviewers', reviewer, known)),
    clarifier: roleOf('clarifier', fixer),
    planner: roleOf('planner', fixer),
    reproducer: roleOf('reproducer', agents.challenger ?? builtInAgent),
    pr_reviewers: (agents.pr_reviewers ?? agents.reviewers ?? []).map((voter) =>
      resolveRole('pr_reviewers', voter, known),
    ),
  }
}

/** Layers as one, later ones over earlier ones: sections by key; lists and agents as a whole. */
export const mergeWritten = (...layers: readonly WrittenConfig[]): WrittenConfig =>
  layers.reduce<WrittenConfig>((lower, upper) => mergeValues(lower, upper) as WrittenConfig, {})

type Section = Readonly<Record<string, unknown>>
const isSection = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function mergeValues(lower: unknown, upper: unknown): unknown {
  // An agent that says `use` is another agent: nothing of the old one may stick to it.
  if (!isSection(upper) || typeof upper['use'] === 'string') return upper
  const under = typeof lower === 'string' ? { use: lower } : isSection(lower) ? lower : {}
  const merged = new Map<string, unknown>(Object.entries(under))
  for (const [key, value] of Object.entries(upper))
    if (value !== undefined) merged.set(key, mergeValues(merged.get(key), value))
  return Object.fromEntries(merged)
}

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
function resolveRole(role: RoleName, written: WrittenRole, { agents, kinds }: KnownAgents): RoleAgentConfig {
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
