import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { createCommandAgent } from '../adapters/agents/command/index.ts'
import { createReplayAgent, recordRuns } from '../adapters/agents/replay/index.ts'
import { createRulesAgent } from '../adapters/agents/rules/index.ts'
import { builtInRules } from '../adapters/agents/rules/pack/index.ts'
import type { Rule } from '../adapters/agents/rules/rule.ts'
import type { Agent, Agents, RoleAgent } from '../loop/ports.ts'
import type { Role } from '../model/agent.ts'
import type { Config } from '../model/config.ts'
import type { AgentConfig, RoleAgentConfig } from '../model/config-agents.ts'
import { Fault } from '../model/fault.ts'

export interface AgentsRequest {
  readonly config: Config
  readonly rules: readonly Rule[]
  readonly root: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
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
    return { agent: request.record ? recordRuns(agent, request.record) : agent, timeoutMs: config.timeout_ms }
  }
  return {
    forRole: (role) =>
      roles[role]
        .flatMap((config) => (role === 'reviewer' ? [config] : [config, ...config.fallback]))
        .map(build),
  }
}

function buildAgent(config: AgentConfig, { rules, root, home, env }: AgentsRequest): Agent {
  switch (config.use) {
    case 'rules':
      return createRulesAgent(rules)
    case 'command':
      return createCommandAgent({ name: config.name, run: config.run ?? '', model: config.model, env, home })
    case 'replay':
      return createReplayAgent({
        name: config.name,
        folder: isAbsolute(config.run ?? '') ? (config.run ?? '') : join(root, config.run ?? ''),
      })
    case 'claude':
    case 'gemini':
    case 'codex':
    case 'acp':
      throw new Fault(
        'agent_unavailable',
        `this version has no adapter for "${config.use}" yet (agent "${config.name}")`,
        {
          hint: 'Use rules, or put the program behind { use: command, run: … }.',
        },
      )
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
