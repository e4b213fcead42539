import { z } from 'zod'
import { agentSettings, kindOf, joinWithAnd, type AgentKind, type AgentSetting } from './agent-kind.ts'
import type { WrittenConfig } from './settings.ts'
import { roleNames, type RoleName, type WrittenAgent, type WrittenRole } from './written.ts'

/** One agent, ready to be built: which, and how to call it. */
export const AgentConfig = z.object({
  /** The name the configuration gave it, or its kind. */
  name: z.string(),
  /** The kind of agent that it is in the end. */
  use: z.string(),
  run: z.string().nullable(),
  model: z.string().nullable(),
  thinking_budget: z.number().int().nullable(),
  timeout_ms: z.number().int().positive(),
  max_turns: z.number().int().optional(),
  permissions: z.enum(['role', 'bypass']).optional(),
  home: z.string().optional(),
  env: z.array(z.string()).readonly().optional(),
  args: z.array(z.string()).readonly().optional(),
})
export type AgentConfig = z.infer<typeof AgentConfig>

/** The agent of a role, and who is asked next when it gives no answer. */
export const RoleAgentConfig = AgentConfig.extend({ fallback: z.array(AgentConfig).readonly() })
export type RoleAgentConfig = z.infer<typeof RoleAgentConfig>

export interface ConfigProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** Words of which one may have been meant. */
  readonly candidates?: readonly string[]
}

export type AgentsAsWritten = NonNullable<WrittenConfig['agents']>
type Path = ConfigProblem['path']

interface Mention {
  readonly path: Path
  /** Where its `use` is written: the entry itself when that is only a name. */
  readonly usePath: Path
  readonly role: RoleName | null
  readonly agent: WrittenAgent
}

/** A name alone is short for an agent that only says `use`. */
export const asAgent = (
  written: WrittenRole,
): WrittenAgent & { readonly fallback?: readonly (string | WrittenAgent)[] } =>
  (typeof written === 'string' ? { use: written } : written) as ReturnType<typeof asAgent>

const isRoleName = (name: string): name is RoleName => (roleNames as readonly string[]).includes(name)

/** The agents that the configuration names itself, beside the roles. */
export const namedAgents = (agents: AgentsAsWritten): ReadonlyMap<string, WrittenAgent> =>
  new Map(Object.entries(agents).filter(([name]) => !isRoleName(name)) as [string, WrittenAgent][])

/** Every place where an agent is used or defined. */
export function mentionsOf(agents: AgentsAsWritten): readonly Mention[] {
  const found: Mention[] = []
  const add = (role: RoleName | null, path: Path, written: WrittenRole): void => {
    const usePath = typeof written === 'string' ? path : [...path, 'use']
    const agent = asAgent(written)
    found.push({ role, path, usePath, agent })
    agent.fallback?.forEach((entry, index) => add(role, [...path, 'fallback', index], entry))
  }
  for (const role of roleNames) {
    const written = agents[role] as WrittenRole | readonly WrittenRole[] | undefined
    if (isList(written)) written.forEach((entry, index) => add(role, ['agents', role, index], entry))
    else if (written !== undefined) add(role, ['agents', role], written)
  }
  for (const [name, agent] of namedAgents(agents)) add(null, ['agents', name], agent)
  return found
}

const isList = (value: unknown): value is readonly WrittenRole[] => Array.isArray(value)

/** The agent with what its named agents say, nearest first; null when a name is unknown or leads back to itself. */
export function followNames(
  agent: WrittenAgent,
  named: ReadonlyMap<string, WrittenAgent>,
  kinds: readonly AgentKind[],
): WrittenAgent | null {
  let full = agent
  for (let hops = 0; hops <= named.size; hops += 1) {
    if (kindOf(kinds, full.use)) return full
    const next = named.get(full.use)
    if (!next) return null
    full = { ...next, ...full, use: next.use }
  }
  return null
}

function isInCircle(name: string, named: ReadonlyMap<string, WrittenAgent>): boolean {
  let use = named.get(name)?.use
  for (let hops = 0; hops < named.size && use !== undefined; hops += 1) {
    if (use === name) return true
    use = named.get(use)?.use
  }
  return false
}

/** What is wrong with the agents as a whole: unknown names, circles, programs missing, settings without effect. */
export function checkAgents(agents: AgentsAsWritten, kinds: readonly AgentKind[]): readonly ConfigProblem[] {
  const named = namedAgents(agents)
  const mentions = mentionsOf(agents).flatMap(({ role, path, usePath, agent }) => {
    if (!kindOf(kinds, agent.use) && !named.has(agent.use)) {
      const message = `"${agent.use}" is neither a built-in agent nor one that is named under agents`
      return [{ path: usePath, message, candidates: [...kinds.map(({ kind }) => kind), ...named.keys()] }]
    }
    if (role === null && isInCircle(String(path[1]), named))
      return [{ path: usePath, message: `"${agent.use}" leads back to ${String(path[1])} itself` }]
    const kind = kindOf(kinds, followNames(agent, named, kinds)?.use ?? '')
    return kind === undefined ? [] : checkSettings({ path, usePath, agent }, kind, kinds)
  })
  return [...[...named.keys()].flatMap((name) => checkName(name, kinds)), ...mentions]
}

function checkName(name: string, kinds: readonly AgentKind[]): readonly ConfigProblem[] {
  const path = ['agents', name]
  if (kindOf(kinds, name))
    return [{ path, message: 'this is the name of a built-in agent; choose another one' }]
  if (!/^[a-z][a-z0-9-]*$/i.test(name))
    return [{ path, message: 'a name has letters, digits and "-", a letter first' }]
  return []
}

/** A named agent is held to its own settings, so a user of it answers only for the settings that it adds. */
function checkSettings(
  { path, usePath, agent }: Pick<Mention, 'path' | 'usePath' | 'agent'>,
  kind: AgentKind,
  kinds: readonly AgentKind[],
): readonly ConfigProblem[] {
  const lacksRun = kind.run && agent.use === kind.kind && agent.run === undefined
  const missing = lacksRun ? [{ path: usePath, message: `${kind.kind} needs "run": ${kind.run?.what}` }] : []
  const superfluous = agentSettings
    .filter((setting) => agent[setting] !== undefined && !kind.takes.includes(setting))
    .map((setting) => ({ path: [...path, setting], message: refusalOf(setting, kind, kinds) }))
  return [...missing, ...superfluous]
}

function refusalOf(setting: AgentSetting, kind: AgentKind, kinds: readonly AgentKind[]): string {
  const reason = kind.refusals?.[setting]
  if (reason !== undefined) return `${kind.kind} ${reason}`
  const takers = kinds.filter(({ takes }) => takes.includes(setting))
  return `${kind.kind} takes no "${setting}"; ${joinWithAnd(takers.map((taker) => taker.kind))} do`
}

/** The agents of a layer that nothing refers to, in any layer. */
export function unusedAgents(
  agents: AgentsAsWritten,
  everywhere: readonly AgentsAsWritten[],
): readonly string[] {
  const used = new Set(
    everywhere.flatMap((layer) =>
      mentionsOf(layer).flatMap(({ agent, path }) => (agent.use === path[1] ? [] : [agent.use])),
    ),
  )
  return [...namedAgents(agents).keys()].filter((name) => !used.has(name))
}
