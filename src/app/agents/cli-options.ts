import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  BASE_ENVIRONMENT,
  cleanEnvironment,
  type Variables,
} from '../../adapters/process/clean-environment.ts'
import type { AgentConfig } from '../../model/config/agents.ts'
import { Fault } from '../../model/fault.ts'
import { cliAgents, isCliKind } from './cli-agents.ts'
import { findProgram } from './find-program.ts'

/** What an agent sees of the person's environment: what every program gets, what it needs, and what was named for it. */
export const agentEnvironment = (
  { env: named = [] }: Pick<AgentConfig, 'env'>,
  env: Variables,
  needed: readonly string[],
): Readonly<Record<string, string>> => cleanEnvironment(env, [...BASE_ENVIRONMENT, ...needed, ...named])

/** The options that all CLIs share. A CLI that is not installed is a fault that says how to get it. */
export function cliOptions(
  config: AgentConfig,
  { env, home }: { readonly env: Variables; readonly home: string },
  needed: readonly string[],
) {
  return {
    name: config.name,
    program: requireProgram(config, env),
    model: config.model,
    thinkingBudget: config.thinking_budget,
    permissions: config.permissions ?? 'role',
    args: config.args ?? [],
    env: agentEnvironment(config, env, needed),
    configFolder: config.home === undefined ? null : resolveFolder(config.home, env),
    home,
  } as const
}

function requireProgram({ use, name }: AgentConfig, env: Variables): string {
  const program = findProgram(use, env['PATH'])
  if (program !== null) return program
  const called = name === use ? use : `${use} (agent "${name}")`
  const how = isCliKind(use) ? `Install it (${cliAgents[use].install}), or c` : 'C'
  throw new Fault('agent_unavailable', `${called} is not installed: there is no such program on the PATH`, {
    hint: `${how}hoose another agent; fixpoint agents lists them.`,
  })
}

/** `~/…` is below the person's home. */
export const resolveFolder = (written: string, env: Variables): string =>
  written.startsWith('~/') ? join(env['HOME'] ?? homedir(), written.slice(2)) : written
