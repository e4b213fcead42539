import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { createAcpAgent } from '../adapters/agents/acp/index.ts'
import { claudeVariables } from '../adapters/agents/claude/command.ts'
import { createClaudeAgent } from '../adapters/agents/claude/index.ts'
import { codexVariables } from '../adapters/agents/codex/command.ts'
import { createCodexAgent } from '../adapters/agents/codex/index.ts'
import { createCommandAgent } from '../adapters/agents/command/index.ts'
import { geminiVariables } from '../adapters/agents/gemini/command.ts'
import { createGeminiAgent } from '../adapters/agents/gemini/index.ts'
import { createReplayAgent } from '../adapters/agents/replay/index.ts'
import { recordRuns } from '../adapters/agents/replay/record-runs.ts'
import { createRulesAgent } from '../adapters/agents/rules/index.ts'
import { builtInRules } from '../adapters/agents/rules/pack/index.ts'
import type { Rule } from '../adapters/agents/rules/engine/rule.ts'
import type { Agent, Agents, RoleAgent } from '../loop/ports.ts'
import type { Role } from '../model/agent/agent.ts'
import type { Config } from '../model/config/config.ts'
import type { AgentConfig, RoleAgentConfig } from '../model/config/agents.ts'
import { Fault } from '../model/fault.ts'
import { redactAgent } from './redact-exits.ts'
import { agentEnvironment, cliOptions } from './agents/cli-options.ts'
import type { Variables } from '../adapters/process/clean-environment.ts'

export interface AgentsRequest {
  readonly config: Config
  readonly rules: readonly Rule[]
  readonly root: string
  readonly home: string
  /** The person's environment; each agent sees what it needs of it. */
  readonly env: Variables
  /** Every run is kept in this folder, when given. */
  readonly record: string | null
}

/** The agents that the configuration names, each role with its fallbacks. */
export function buildAgents(request: AgentsRequest): Agents {
  const { agents } = request.config
  const roles: Readonly<Record<Role, readonly RoleAgentConfig[]>> = {
    reviewer: agents.reviewers,
    clarifier: [agents.clarifier],
    planner: [agents.planner],
    fixer: [agents.fixer],
    challenger: [agents.challenger],
  }
  const build = (config: AgentConfig): RoleAgent => {
    const agent = buildAgent(config, request)
    // A recording is a file: what comes back is redacted before it is written, not only on the way on.
    const used = request.record ? recordRuns(redactAgent(agent), request.record) : agent
    return { agent: used, timeoutMs: config.timeout_ms }
  }
  return {
    forRole: (role) =>
      role === 'reviewer'
        ? roles[role].map(build)
        : roles[role].flatMap((config) => firstUsable([config, ...config.fallback], build)),
  }
}

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
  const { rules, root, home, env } = request
  switch (config.use) {
    case 'rules':
      return createRulesAgent(rules)
    case 'command':
      return createCommandAgent({
        name: config.name,
        run: config.run ?? '',
        model: config.model,
        env: agentEnvironment(config, env, []),
        home,
      })
    case 'replay':
      return createReplayAgent({
        name: config.name,
        folder: isAbsolute(config.run ?? '') ? (config.run ?? '') : join(root, config.run ?? ''),
      })
    case 'claude':
      return createClaudeAgent({
        ...cliOptions(config, request, claudeVariables),
        maxTurns: config.max_turns ?? null,
      })
    case 'codex':
      return createCodexAgent({
        ...cliOptions(config, request, codexVariables),
        prices: request.config.prices,
      })
    case 'gemini':
      return createGeminiAgent({
        ...cliOptions(config, request, geminiVariables),
        maxTurns: config.max_turns ?? null,
        prices: request.config.prices,
      })
    case 'acp':
      return createAcpAgent({
        name: config.name,
        run: config.run ?? '',
        model: config.model,
        env: agentEnvironment(config, env, []),
        home,
        prices: request.config.prices,
      })
  }
}

/** The built-in rules and the person's own rule files. */
export async function readRules(config: Config, root: string): Promise<readonly Rule[]> {
  if (config.review.rules.length === 0) return builtInRules
  const { parseUserRules } = await import('../adapters/agents/rules/user-rules.ts')
  const files = await Promise.all(
    config.review.rules.map(async (path) => ({ path, text: await readRuleFile(join(root, path), path) })),
  )
  const own = files.flatMap(({ path, text }) => parseUserRules(text, path))
  const ids = own.map(({ id }) => id)
  const twice = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
  if (twice.length > 0)
    throw new Fault(
      'config_invalid',
      `the rule files of review.rules hold these ids more than once: ${twice.join(', ')}`,
    )
  return [...builtInRules, ...own]
}

async function readRuleFile(file: string, name: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new Fault('config_invalid', `the rule file ${name} cannot be read`, {
      cause,
      hint: 'It is named by review.rules in fixpoint.yaml, relative to the root of the repository.',
    })
  }
}
