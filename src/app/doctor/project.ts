import type { AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import { parseRules } from '../../adapters/agents/rules/parse-rules.ts'
import {
  openRepository,
  type DiscoveredRepository,
  type GitRepository,
} from '../../adapters/workspaces/index.ts'
import { noJail } from '../../loop/ports.ts'
import type { Role } from '../../model/agent/agent.ts'
import { mayLandUnverified } from '../../model/proof/evidence.ts'
import { kindOf } from '../../model/config/agent-kind.ts'
import { agentsOfRole } from '../../model/config/config.ts'
import { resolveFolder } from '../../adapters/agents/definition/setup.ts'
import { readLogin } from '../../adapters/agents/definition/login.ts'
import { buildAgents, readRuleSetup } from '../agents/build-agents.ts'
import { loadConfig, type ConfigRequest, type LoadedConfig } from '../config/load-config.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { isTrusted, readTrust } from '../trust/trust.ts'
import { lookAtRepository } from '../find-repository.ts'
import { describeMissing, howToBringPrograms } from '../require-programs.ts'
import { openJail } from '../open-jail.ts'
import { countOf, type Seen } from './check.ts'

interface Place {
  readonly cwd: string
  readonly env: Variables
}

/** Without a usable home the repository is only looked at. */
export async function seeRepository(
  place: Place,
  home: string | null,
): Promise<Seen<{ readonly found: DiscoveredRepository; readonly git: GitRepository | null }>> {
  const git = home === null ? null : await openRepository({ ...place, home })
  const found = git ?? (await lookAtRepository(place))
  const parts = [
    found.root,
    ...(git ? [await headOf(git)] : []),
    ...(found.isShallow ? ['shallow clone'] : []),
  ]
  return {
    value: { found, git },
    message: [parts.join(', '), ...found.notes].join('; '),
    status: found.notes.length > 0 ? 'warning' : 'ok',
    hint: found.notes.length > 0 ? 'git config user.name and user.email set who makes commits.' : null,
  }
}

async function headOf({ checkout }: GitRepository): Promise<string> {
  const ask = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout } = await checkout.run(args, { answers: [1, 128] })
    return exitCode === 0 ? stdout.toString('utf8').trim() : ''
  }
  const commit = (await ask('rev-parse', '--verify', '--quiet', 'HEAD')).slice(0, 12)
  const branch = await ask('symbolic-ref', '--quiet', '--short', 'HEAD')
  return `HEAD ${commit} ${branch === '' ? '(detached)' : `on ${branch}`}`
}

export async function seeConfiguration(request: ConfigRequest): Promise<Seen<LoadedConfig>> {
  const loaded = await loadConfig(request)
  const message = loaded.repositoryFile ?? 'no fixpoint.yaml: the defaults hold'
  return {
    value: loaded,
    message: [message, ...loaded.notices].join('; '),
    status: loaded.repositoryFile && loaded.notices.length === 0 ? 'ok' : 'warning',
    hint: loaded.repositoryFile ? null : 'fixpoint init looks at the repository and writes one.',
  }
}

export async function seeVerification({ config }: LoadedConfig, env: Variables): Promise<Seen<null>> {
  const missing = describeMissing(config.verify.commands, env)
  if (missing.length > 0)
    return { value: null, status: 'error', message: missing.join('\n'), hint: howToBringPrograms }
  const names = config.verify.commands.map(({ name }) => name)
  if (names.length > 0)
    return { value: null, message: `${countOf(names.length, 'command')}: ${names.join(', ')}` }
  const isAllowed = mayLandUnverified({ ...config.land, ...config.verify })
  return {
    value: null,
    status: 'warning',
    message: `no command is configured, so no fix can be proven and ${isAllowed ? 'all land unproven (land.min_evidence: E0)' : 'nothing will land'}`,
    hint: 'Add verify.commands to fixpoint.yaml; fixpoint init finds them.',
  }
}

export async function seeTrust(loaded: LoadedConfig, git: GitRepository, home: string): Promise<Seen<null>> {
  const state = await readTrust({ loaded, git, home }, { for: 'session' })
  if (state.items.length === 0)
    return { value: null, message: 'the files of this repository ask for nothing that needs trust' }
  const named = (number: number): string => countOf(number, 'command or file', 'commands and files')
  if (isTrusted(state)) return { value: null, message: `${named(state.items.length)} trusted` }
  return {
    value: null,
    status: 'warning',
    message: `not trusted, so that nothing of it runs or loads: ${named(state.untrusted.length)} of this repository`,
    hint: 'Read them with fixpoint trust --show, then run fixpoint trust.',
  }
}

/** Asks for the agents as a session would; nothing of them is started. */
export async function seeAgent(
  { loaded: { config, kinds }, env }: { readonly loaded: LoadedConfig; readonly env: Variables },
  role: Role,
  root: string | null,
): Promise<Seen<null>> {
  const rules = root === null ? { files: [], levels: {}, exclude: [] } : await readRuleSetup(config, root)
  parseRules(rules)
  const request = { config, kinds, rules, root: root ?? '', home: '', env, record: null, jail: noJail }
  const agents = buildAgents(request).forRole(role)
  const names = agents.map(({ agent }) => agent.name)
  if (names.length === 0)
    return {
      value: null,
      status: 'warning',
      message: 'none is configured',
      hint: 'Add agents.reviewers to fixpoint.yaml.',
    }
  const loggedOut = loggedOutAgent({ config, kinds }, role, env)
  const message = names.join(role === 'reviewer' ? ', ' : ', then ')
  const unbound = agents.find(({ agent }) => agent.can.costUnknown !== undefined)?.agent
  if (!loggedOut?.cli && unbound)
    return {
      value: null,
      status: config.fix.budget_usd === null && config.fix.issue_budget_usd === null ? 'ok' : 'warning',
      message: `${message}; a budget in money cannot bound ${unbound.name}: ${unbound.can.costUnknown ?? ''}`,
      hint: 'Add prices for its model to fixpoint.yaml, or use fix.budget_tokens.',
    }
  if (!loggedOut?.cli) return { value: null, message }
  return {
    value: null,
    status: 'warning',
    message: `${message}; ${loggedOut.kind} has nothing to log in with`,
    hint: `For ${loggedOut.kind}, ${loggedOut.cli.login.how}.`,
  }
}

/** A CLI of the role that has nothing to log in with. One with arguments of its own is passed over: it may have another way. */
function loggedOutAgent(
  { config: { agents }, kinds }: Pick<LoadedConfig, 'config' | 'kinds'>,
  role: Role,
  env: Variables,
): AgentDefinition | null {
  const configs = agentsOfRole(agents, role)
  const found = configs.flatMap(({ use, home, args = [] }) => {
    const definition = kindOf(kinds, use)
    if (!definition?.cli || args.length > 0) return []
    const folder = home === undefined ? null : resolveFolder(home, env)
    return readLogin(definition.cli.login, env, folder).loggedIn ? [] : [definition]
  })
  return found[0] ?? null
}

export async function seeSandbox({ config }: LoadedConfig, env: Variables): Promise<Seen<null>> {
  const { state } = await openJail({ config, env, home: '', git: null })
  const isWanted = config.sandbox.mode !== 'off'
  const careful = 'Let it fix only code whose tests and tools you would run yourself.'
  return {
    value: null,
    status: isWanted && !state.isThere ? 'warning' : 'ok',
    message: `sandbox: ${config.sandbox.mode}; ${state.text}`,
    hint: state.isThere ? null : state.remedy === null ? careful : `${careful} For a jail: ${state.remedy}`,
  }
}
