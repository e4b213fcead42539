import type { AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import { renderBoundedText } from '../../adapters/process/bounded-text.ts'
import { runProcess } from '../../adapters/process/run-process.ts'
import type { AgentPowers } from '../../loop/ports.ts'
import { Role } from '../../model/agent/agent.ts'
import type { RoleAgentView } from '../../model/api/system.ts'
import type { AgentConfig } from '../../model/config/agents.ts'
import { kindOf } from '../../model/config/agent-kind.ts'
import { agentsOfRole, type Config } from '../../model/config/config.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { agentEnvironment, resolveFolder, type AgentCli } from '../../adapters/agents/definition/setup.ts'
import { findProgram } from '../../adapters/agents/definition/find-program.ts'
import { readLogin } from '../../adapters/agents/definition/login.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'

/** One agent as it is on this machine; nothing was asked of any service. */
export interface ListedAgent {
  readonly name: string
  readonly title: string
  readonly path: string | null
  readonly version: string | null
  /** The version that Fixpoint's own tests drive; null for what is built in. */
  readonly tested_version: string | null
  readonly logged_in: boolean
  /** The variable or file that it logs in with; never what is in it. */
  readonly login: string | null
  readonly can: AgentPowers
  /** What to do before it can be used; null when it can. */
  readonly hint: string | null
}

/** What is on this machine, and who takes which role, in the order in which they are tried. */
export interface AgentsHere {
  readonly agents: readonly ListedAgent[]
  readonly roles: readonly RoleAgentView[]
}

/** The agents that can be named without further settings, as they are on this machine, and who has which role. */
export async function listAgents(
  { config, kinds }: Pick<LoadedConfig, 'config' | 'kinds'>,
  env: Variables,
): Promise<AgentsHere> {
  const shown = kinds.filter(({ run }) => run === undefined)
  const agents = await Promise.all(shown.map((definition) => lookAt(definition, env)))
  const machine = { agents, kinds, env }
  return { agents, roles: Role.options.flatMap((role) => rowsOf(role, config, machine)) }
}

async function lookAt({ kind, title, can, cli }: AgentDefinition, env: Variables): Promise<ListedAgent> {
  const { resume, fork, subagents, compact } = can
  const agent = { name: kind, title, can: { resume, fork, subagents, compact } }
  if (cli) return { ...agent, ...(await lookAtCli(cli, env)) }
  return {
    ...agent,
    path: null,
    version: null,
    tested_version: null,
    logged_in: true,
    login: null,
    hint: null,
  }
}

async function lookAtCli(
  { program, testedVersion, install, login }: AgentCli,
  env: Variables,
): Promise<Omit<ListedAgent, 'name' | 'title' | 'can'>> {
  const path = findProgram(program, env['PATH'])
  const { loggedIn, by } = readLogin(login, env, null)
  const asked = path === null ? null : await askVersion(path, env)
  return {
    path,
    version: asked?.version ?? null,
    tested_version: testedVersion,
    logged_in: loggedIn,
    login: by,
    hint:
      path === null
        ? `not installed: ${install}`
        : (asked?.problem ?? (loggedIn ? null : `not logged in: ${login.how}`)),
  }
}

/** Long for a program that only says its version, but a busy machine is no broken program. */
const versionTimeoutMs = 20_000

interface Asked {
  readonly version: string | null
  readonly problem: string | null
}

async function askVersion(program: string, env: Variables): Promise<Asked> {
  const result = await runProcess({
    command: program,
    args: ['--version'],
    cwd: '/',
    env: agentEnvironment(env),
    timeoutMs: versionTimeoutMs,
    walls: null,
  })
  const version = /\d+\.\d+\.\d+\S*/.exec(renderBoundedText(result.stdout))?.[0] ?? null
  const isFine = result.exitCode === 0 && version !== null
  return { version, problem: isFine ? null : `${program} --version did not answer: it may be broken` }
}

interface Machine {
  readonly agents: readonly ListedAgent[]
  readonly kinds: readonly AgentDefinition[]
  readonly env: Variables
}

function rowsOf(role: Role, { agents }: Config, machine: Machine): readonly RoleAgentView[] {
  const chosen = agentsOfRole(agents, role)
  return chosen.flatMap((first) =>
    [first, ...first.fallback].map((config, index) => {
      const { name, use, model, timeout_ms } = config
      const reason = missingOf(config, machine)
      return {
        role,
        name,
        use,
        model,
        timeout_ms,
        is_fallback: index > 0,
        available: reason === null,
        reason,
      }
    }),
  )
}

/** What is missing before a configured agent can be used; one with a folder of its own may be logged in only there. */
function missingOf({ use, home }: AgentConfig, { agents, kinds, env }: Machine): string | null {
  const hint = agents.find(({ name }) => name === use)?.hint ?? null
  const cli = kindOf(kinds, use)?.cli
  if (hint === null || home === undefined || cli === undefined) return hint
  return readLogin(cli.login, env, resolveFolder(home, env)).loggedIn && hint.startsWith('not logged in')
    ? null
    : hint
}
