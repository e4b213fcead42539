import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename } from 'node:path'
import { credentialFiles } from '../../adapters/agents/definition/login.ts'
import { resolveFolder } from '../../adapters/agents/definition/setup.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Jail, StoredSession } from '../../loop/ports.ts'
import type { Role } from '../../model/agent/agent.ts'
import { kindOf } from '../../model/config/agent-kind.ts'
import type { AgentConfig } from '../../model/config/agents.ts'
import { agentsOfRole } from '../../model/config/config.ts'
import { Fault } from '../../model/fault.ts'
import type { LoadedConfig } from '../config/load-config.ts'

/** A machine and its configuration, as far as it is about running a stranger's code. */
interface Machine {
  readonly env: Variables
  readonly loaded: Pick<LoadedConfig, 'config' | 'kinds'>
  readonly jail: () => Promise<Pick<Jail, 'state'>>
}

/**
 * Why code that a stranger wrote may not be run on this machine; null when every program that runs or loads it stands in
 * a jail, without the network and without anything that somebody could log in with.
 */
export async function whyNotForeign(app: Machine): Promise<string | null> {
  const { state } = await app.jail()
  if (!state.isThere) return state.text
  const { verify, workspace, review } = app.loaded.config
  const open = [...verify.commands, ...review.scanners].find(
    (command) => command.network === true || ('jail' in command && command.jail === false),
  )
  if (open) return `${open.name} runs outside of the jail or reaches the network`
  if (workspace.setup !== null) return 'workspace.setup has the network and the logins of package managers'
  const shared = workspace.share.find((path) => !dependencies.includes(basename(path)))
  if (shared !== undefined) return `workspace.share gives it ${shared}`
  return secretOfAgents(app)
}

/** Refuses to drive a session on a stranger's code where that is not safe: another machine may have taken it over. */
export async function requireForeignSafe(app: Machine, { session }: StoredSession): Promise<void> {
  const { foreign } = session.options
  const why = foreign === undefined ? null : await whyNotForeign(app)
  if (why === null) return
  throw new Fault('sandbox_unavailable', `the code of ${foreign} is not run here: ${why}`, {
    hint: 'docs/guide/github.md says what it needs.',
  })
}

/** Folders of installed packages, which hold no secrets. */
const dependencies = ['node_modules', 'vendor', 'venv', '.venv', 'target']

const roles: readonly Role[] = ['fixer', 'challenger', 'reproducer', 'clarifier', 'planner']

function secretOfAgents(app: Machine): string | null {
  const configs = roles.flatMap((role) => agentsOfRole(app.loaded.config.agents, role))
  for (const config of configs.flatMap((one) => [one, ...one.fallback])) {
    const secret = secretOf(config, app)
    if (secret !== null) return `the agent ${config.name} ${secret}`
  }
  return null
}

/** A key stays outside of the jail; a file that a login left, or a variable that was named, does not. */
function secretOf(config: AgentConfig, { env, loaded }: Machine): string | null {
  if (config.env && config.env.length > 0) return `gets the variables ${config.env.join(', ')}`
  const own = kindOf(loaded.kinds, config.use)?.cli
  const started = loaded.kinds.flatMap(({ cli }) =>
    cli && new RegExp(`\\b${cli.program}\\b`).test(config.run ?? '') ? [cli] : [],
  )
  const at = {
    env,
    home: env['HOME'] ?? homedir(),
    folder: config.home === undefined ? null : resolveFolder(config.home, env),
  }
  for (const { login, keys = [] } of own ? [own] : started) {
    const left = credentialFiles(login, at).find((file) => existsSync(file))
    if (left !== undefined) return `logs in with a file (${left}), which its programs can read`
    if (!keys.some(({ variable }) => (env[variable] ?? '') !== ''))
      return 'has no key that could stay outside of the jail'
  }
  return null
}
