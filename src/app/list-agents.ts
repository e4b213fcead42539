import { claudePowers } from '../adapters/agents/claude/index.ts'
import { codexPowers } from '../adapters/agents/codex/index.ts'
import { renderBoundedText } from '../adapters/process/bounded-text.ts'
import { runProcess } from '../adapters/process/run-process.ts'
import type { AgentPowers } from '../loop/ports.ts'
import { Role } from '../model/agent/agent.ts'
import type { RoleAgentView } from '../model/api/system.ts'
import type { AgentConfig, RoleAgentConfig } from '../model/config/agents.ts'
import type { Config } from '../model/config/config.ts'
import { cliAgents, cliKinds, isCliKind, type CliKind } from './agents/cli-agents.ts'
import { agentEnvironment, resolveFolder } from './agents/cli-options.ts'
import { findProgram } from './agents/find-program.ts'
import { loginState } from './agents/login-state.ts'
import type { Variables } from '../adapters/process/clean-environment.ts'

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

export interface AgentList {
  readonly agents: readonly ListedAgent[]
  /** Who takes which role, in the order in which they are tried. */
  readonly roles: readonly RoleAgentView[]
}

/** The vendors' CLIs on this machine and the built-in rules, and who has which role. */
export async function listAgents(config: Config, env: Variables): Promise<AgentList> {
  const agents = [...(await Promise.all(cliKinds.map((kind) => lookAt(kind, env)))), rules]
  return { agents, roles: Role.options.flatMap((role) => rowsOf(role, config, { agents, env })) }
}

const powers: Readonly<Record<CliKind, AgentPowers>> = {
  claude: claudePowers,
  codex: codexPowers,
  gemini: { resume: true, fork: true, subagents: true, compact: false },
}

const rules: ListedAgent = {
  name: 'rules',
  title: 'Built-in rules',
  path: null,
  version: null,
  tested_version: null,
  logged_in: true,
  login: null,
  can: { resume: false, fork: false, subagents: false, compact: false },
  hint: null,
}

async function lookAt(kind: CliKind, env: Variables): Promise<ListedAgent> {
  const { title, testedVersion, install, logIn } = cliAgents[kind]
  const path = findProgram(kind, env['PATH'])
  const { loggedIn, by } = loginState(kind, env, null)
  const asked = path === null ? null : await askVersion(path, env)
  return {
    name: kind,
    title,
    path,
    version: asked?.version ?? null,
    tested_version: testedVersion,
    logged_in: loggedIn,
    login: by,
    can: powers[kind],
    hint:
      path === null
        ? `not installed: ${install}`
        : (asked?.problem ?? (loggedIn ? null : `not logged in: ${logIn}`)),
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
    env: agentEnvironment({}, env, []),
    timeoutMs: versionTimeoutMs,
  })
  const version = /\d+\.\d+\.\d+\S*/.exec(renderBoundedText(result.stdout))?.[0] ?? null
  const isFine = result.exitCode === 0 && version !== null
  return { version, problem: isFine ? null : `${program} --version did not answer: it may be broken` }
}

interface Machine {
  readonly agents: readonly ListedAgent[]
  readonly env: Variables
}

function rowsOf(role: Role, { agents }: Config, machine: Machine): readonly RoleAgentView[] {
  const chosen: readonly RoleAgentConfig[] = role === 'reviewer' ? agents.reviewers : [agents[role]]
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
function missingOf({ use, home }: AgentConfig, { agents, env }: Machine): string | null {
  const hint = agents.find(({ name }) => name === use)?.hint ?? null
  if (hint === null || home === undefined || !isCliKind(use)) return hint
  return loginState(use, env, resolveFolder(home, env)).loggedIn && hint.startsWith('not logged in')
    ? null
    : hint
}
