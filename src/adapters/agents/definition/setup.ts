import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ModelPrice } from '../../../model/agent/price.ts'
import type { Jail, ModelKey } from '../../../loop/ports.ts'
import type { AgentConfig } from '../../../model/config/agents.ts'
import type { RuleLevel } from '../../../model/config/settings.ts'
import { Fault } from '../../../model/fault.ts'
import { BASE_ENVIRONMENT, cleanEnvironment, type Variables } from '../../process/clean-environment.ts'
import { findProgram } from './find-program.ts'
import type { CliLogin } from './login.ts'

/** What is known of a vendor's program without starting it. */
export interface AgentCli {
  readonly program: string
  readonly install: string
  /** The version that the tests drive. */
  readonly testedVersion: string
  /** Variables of the person's that it gets besides those that every program gets: how to log in, and where. */
  readonly variables: readonly string[]
  readonly login: CliLogin
  /** Hosts of the model and of the login; from inside the jail nothing else is reached. */
  readonly hosts?: readonly string[]
  /** Keys that stay outside of the jail. */
  readonly keys?: readonly ModelKey[]
}

/** What all agents of a session are made with. */
export interface AgentMachine {
  /** The person's environment; each agent sees what it needs of it. */
  readonly env: Variables
  /** FIXPOINT_HOME. */
  readonly home: string
  /** The root of the checkout, which relative paths of the configuration begin at. */
  readonly root: string
  /** By model, for agents that report tokens only. */
  readonly prices: Readonly<Record<string, ModelPrice>>
  readonly rules: RuleSetup
  readonly jail: Jail
  /** What the person lets agents reach besides their models. */
  readonly allowedHosts: readonly string[]
  /** The CLIs that there are, of which a program of the person's may be one. */
  readonly clis: readonly AgentCli[]
}

/** What the configuration says of the built-in reviewer. */
export interface RuleSetup {
  readonly files: readonly RuleFile[]
  readonly levels: Readonly<Record<string, RuleLevel>>
  /** Globs of files that are not reviewed. */
  readonly exclude: readonly string[]
}

/** A rule file of the person's own, as it was read. */
export interface RuleFile {
  readonly path: string
  readonly text: string
}

/** What one agent is made with. */
export interface AgentSetup extends Omit<AgentMachine, 'env'>, Omit<CliOptions, 'program'> {
  readonly run: string
  readonly maxTurns: number | null
  /** The absolute path of a CLI; empty for other agents. */
  readonly program: string
}

/** What an agent is made with that is a program of the person's; `run` is its command line as the configuration has it. */
export type ProgramOptions = Pick<
  AgentSetup,
  'name' | 'run' | 'model' | 'env' | 'home' | 'root' | 'jail' | 'allowedHosts' | 'clis' | 'prices'
>

/** The options that all CLIs share. */
export interface CliOptions {
  readonly name: string
  /** The absolute path of the program. */
  readonly program: string
  readonly model: string | null
  readonly thinkingBudget: number | null
  /** `role` allows what the role needs, `bypass` everything. */
  readonly permissions: 'role' | 'bypass'
  readonly args: readonly string[]
  /** All that it may see of the person's environment. */
  readonly env: Readonly<Record<string, string>>
  /** A configuration folder with a login of its own; the person's when null. */
  readonly configFolder: string | null
  /** FIXPOINT_HOME. */
  readonly home: string
  /** The root of the checkout. */
  readonly root: string
  readonly jail: Jail
  readonly allowedHosts: readonly string[]
}

interface Known {
  readonly kind: string
  readonly cli?: AgentCli
}

/** An agent's settings in full. A CLI that is not installed is a fault that says how to get it. */
export function setUpAgent({ kind, cli }: Known, config: AgentConfig, machine: AgentMachine): AgentSetup {
  const { env, ...shared } = machine
  return {
    ...shared,
    name: config.name,
    program: cli === undefined ? '' : requireProgram(cli, { kind, name: config.name }, env),
    run: config.run ?? '',
    model: config.model,
    thinkingBudget: config.thinking_budget,
    maxTurns: config.max_turns ?? null,
    permissions: config.permissions ?? 'role',
    args: config.args ?? [],
    env: agentEnvironment(env, [...(cli?.variables ?? []), ...(config.env ?? [])]),
    configFolder: config.home === undefined ? null : resolveFolder(config.home, env),
  }
}

/** What an agent sees of the person's environment: what every program gets, and what was named for it. */
export const agentEnvironment = (
  env: Variables,
  named: readonly string[] = [],
): Readonly<Record<string, string>> => cleanEnvironment(env, [...BASE_ENVIRONMENT, ...named])

function requireProgram(
  cli: AgentCli,
  { kind, name }: { readonly kind: string; readonly name: string },
  env: Variables,
): string {
  const program = findProgram(cli.program, env['PATH'])
  if (program !== null) return program
  const called = name === kind ? kind : `${kind} (agent "${name}")`
  throw new Fault('agent_unavailable', `${called} is not installed: there is no such program on the PATH`, {
    hint: `Install it (${cli.install}), or choose another agent; fixpoint agents lists them.`,
  })
}

/** `~/…` is below the person's home. */
export const resolveFolder = (written: string, env: Variables): string =>
  written.startsWith('~/') ? join(env['HOME'] ?? homedir(), written.slice(2)) : written
