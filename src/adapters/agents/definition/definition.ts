import type { Agent, AgentPowers } from '../../../loop/ports.ts'
import type { AgentKind } from '../../../model/config/agent-kind.ts'
import type { AgentCli, AgentSetup } from './setup.ts'
import { runWithinBudget } from './within-budget.ts'

/**
 * Everything that Fixpoint knows of one kind of agent. Choices, checks, help and documentation are made from these, so
 * that a new kind is a folder of its own and a line in the list.
 */
export interface AgentDefinition extends AgentKind {
  /** Its name for people. */
  readonly title: string
  /** What it is, and what it needs besides a CLI, for the documentation. */
  readonly about: string
  readonly needs?: string
  /** The name of its runs and findings, where that is not the one that the configuration gives. */
  readonly name?: string
  /** Whose model it is; null when that is not known. */
  readonly family: string | null
  readonly can: AgentPowers
  /** It reports tokens only; `prices` says what they cost. */
  readonly reportsTokensOnly?: true
  /** It ends by itself when it has used what it may use. */
  readonly keepsBudget?: true
  /** For a vendor's program that is looked for on the PATH. */
  readonly cli?: AgentCli
  /** For a CLI that is used when nobody chose an agent: its place in each role, the lowest first. */
  readonly ranks?: Readonly<Record<RankedRole, number>>
  /** Its code is imported here and not before. */
  create(setup: AgentSetup): Promise<Agent>
}

/** The definition of a vendor's program. */
export type CliDefinition = AgentDefinition & { readonly cli: AgentCli }

export type RankedRole = 'fixer' | 'challenger' | 'reviewers'

/** Variables by which a program reaches the network. */
export const proxyVariables = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
]

/** Settings that every vendor's CLI takes. */
export const cliSettings = ['permissions', 'home', 'args', 'model', 'thinking_budget', 'env'] as const

/** The agent of a definition; its code is read when it runs for the first time. */
export function createAgent(definition: AgentDefinition, setup: AgentSetup): Agent {
  let created: Promise<Agent> | null = null
  return {
    name: definition.name ?? setup.name,
    family: definition.family,
    can: { ...definition.can, ...priceless(definition, setup) },
    run: async (request) =>
      runWithinBudget(await (created ??= definition.create(setup)), request, definition),
  }
}

/** Why the cost is unknown: the agent reports tokens only, and `prices` says nothing of its model. */
function priceless(
  { reportsTokensOnly }: AgentDefinition,
  { model, prices }: AgentSetup,
): Pick<AgentPowers, 'costUnknown'> {
  if (!reportsTokensOnly || (model !== null && Object.hasOwn(prices, model))) return {}
  const of = model === null ? 'its default model (name one as model)' : model
  return { costUnknown: `it reports tokens only, and prices has no entry for ${of}` }
}

/** An agent that is there already, under its own name: it takes no settings. */
export const defineAgent = (agent: Agent): AgentDefinition => ({
  kind: agent.name,
  takes: [],
  title: agent.name,
  about: 'an agent of the program that uses Fixpoint',
  family: agent.family,
  can: agent.can,
  create: async () => agent,
})
