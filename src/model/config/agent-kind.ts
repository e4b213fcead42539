import type { RoleName } from './written.ts'

/** The settings of an agent that not every kind of agent takes. */
export const agentSettings = [
  'run',
  'max_turns',
  'permissions',
  'home',
  'args',
  'model',
  'thinking_budget',
  'env',
] as const
export type AgentSetting = (typeof agentSettings)[number]

/** What the configuration has to know of a kind of agent. */
export interface AgentKind {
  /** The word that `use` says. */
  readonly kind: string
  readonly takes: readonly AgentSetting[]
  /** Why it does not take a setting, where the reason says more than who takes it. */
  readonly refusals?: Readonly<Partial<Record<AgentSetting, string>>>
  /** What its `run` is; only for a kind that cannot do without one. */
  readonly run?: { readonly is: 'program' | 'folder'; readonly what: string }
  /** Tokens to think with in a role, where nobody says how many. */
  readonly thinkingBudgets?: Readonly<Partial<Record<RoleName, number>>>
}

/** The kind of this name. */
export const kindOf = <Kind extends AgentKind>(kinds: readonly Kind[], name: string): Kind | undefined =>
  kinds.find(({ kind }) => kind === name)

/** `claude, gemini and codex`. */
export const joinWithAnd = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`
