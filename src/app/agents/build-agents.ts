import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { createAgent, type AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import { setUpAgent, type AgentMachine, type RuleSetup } from '../../adapters/agents/definition/setup.ts'
import { readPlainFile } from '../../adapters/agents/program/plain-file.ts'
import { recordRuns } from '../../adapters/agents/replay/record-runs.ts'
import type { Agent, Agents, RoleAgent } from '../../loop/ports.ts'
import type { Role } from '../../model/agent/agent.ts'
import { kindOf } from '../../model/config/agent-kind.ts'
import { isRuleList, ruleFilesOf } from '../config/load-config.ts'
import { agentsOfRole, type Config } from '../../model/config/config.ts'
import type { AgentConfig } from '../../model/config/agents.ts'
import { Fault } from '../../model/fault.ts'
import { redactAgent } from '../redact/redact-exits.ts'

export interface AgentsRequest extends Omit<AgentMachine, 'prices' | 'clis' | 'allowedHosts'> {
  readonly config: Config
  /** The kinds of agents that there are. */
  readonly kinds: readonly AgentDefinition[]
  /** Every run is kept in this folder, when given. */
  readonly record: string | null
}

/** The agents that the configuration names, each role with its fallbacks. */
export function buildAgents(request: AgentsRequest): Agents {
  const { agents } = request.config
  const build = (config: AgentConfig): RoleAgent => {
    const agent = buildAgent(config, request)
    // A recording is a file, so answers are redacted before they are written, not only before they are passed on.
    const used = request.record ? recordRuns(redactAgent(agent), request.record) : agent
    return { agent: used, timeoutMs: config.timeout_ms }
  }
  return {
    forRole: (role) => {
      const configs = agentsOfRole(agents, role)
      return isOneOfMany(role)
        ? configs.map(build)
        : configs.flatMap((config) => firstUsable([config, ...config.fallback], build))
    },
  }
}

/** Each of these agents answers by itself; of every other role the first agent that can run answers. */
const isOneOfMany = (role: Role): boolean => role === 'reviewer' || role === 'pr_reviewer'

/** Those that can be built, in order; a fault only when none of them can. */
function firstUsable(
  configs: readonly AgentConfig[],
  build: (config: AgentConfig) => RoleAgent,
): readonly RoleAgent[] {
  const faults: Fault[] = []
  const built = configs.flatMap((config) => {
    try {
      return [build(config)]
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'agent_unavailable') throw error
      faults.push(error)
      return []
    }
  })
  if (built.length === 0 && faults[0]) throw faults[0]
  return built
}

function buildAgent(config: AgentConfig, request: AgentsRequest): Agent {
  const { kinds, env, home, root, rules, jail } = request
  const definition = kindOf(kinds, config.use)
  if (!definition) throw new Fault('internal', `nobody knows the agent "${config.use}" of the configuration`)
  const { prices, sandbox } = request.config
  const clis = kinds.flatMap(({ cli }) => cli ?? [])
  const machine = { env, home, root, rules, prices, jail, clis, allowedHosts: sandbox.allow_hosts }
  return createAgent(definition, setUpAgent(definition, config, machine))
}

/** What the configuration says of the rules, with the person's own rule files as they are now. */
export async function readRuleSetup({ review }: Pick<Config, 'review'>, root: string): Promise<RuleSetup> {
  const levels = isRuleList(review.rules) ? {} : review.rules
  const files = await Promise.all(
    ruleFilesOf(review).map(async (path) => ({ path, text: await readRuleFile(root, path) })),
  )
  return { files, levels, exclude: review.exclude }
}

async function readRuleFile(root: string, name: string): Promise<string> {
  try {
    // A link may lead anywhere, and what it leads to would be run and shown.
    const file = await realpath(join(root, name))
    if (!file.startsWith(`${await realpath(root)}${sep}`)) throw new Error('it leads out of the repository')
    const bytes = await readPlainFile(file)
    if (bytes === null) throw new Error('it is no file that can be read')
    return bytes.toString('utf8')
  } catch (cause) {
    const why = cause instanceof Error && !('code' in cause) ? `: ${cause.message}` : ''
    throw new Fault('config_invalid', `the rule file ${name} cannot be read${why}`, {
      cause,
      hint: 'It is named by review.rule_files in fixpoint.yaml, relative to the root of the repository.',
    })
  }
}
