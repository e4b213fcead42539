import { stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { withOwnAgents } from '../../adapters/agents/index.ts'
import type { AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import { Fault } from '../../model/fault.ts'
import { usableAgents } from './default-agents.ts'
import { composeConfig, type ComposedConfig } from './compose-config.ts'
import type { ConfigText } from './layers.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Override } from './overrides.ts'
import type { PlacedProblem } from './problem.ts'
import { readStart } from '../../adapters/projects/evidence/checkout.ts'
import { listCommands, type NamedCommand } from './repository-commands.ts'

export const configFileName = 'fixpoint.yaml'

export interface ConfigRequest {
  /** The root of the user's checkout; null outside of a repository. */
  readonly repositoryRoot: string | null
  readonly env: Variables
  readonly flags?: readonly Override[]
  /** Agents of one's own, beside the built-in ones. */
  readonly agents?: readonly AgentDefinition[]
  /** The text of the repository's file where another one than the checkout's counts; null when there is none. */
  readonly repositoryText?: string | null
  /** The user's own file; found by the environment when it is not given, null for none. */
  readonly userConfigFile?: string | null
}

export interface LoadedConfig extends Omit<ComposedConfig, 'repository'> {
  /** The kinds of agents that there are. */
  readonly kinds: readonly AgentDefinition[]
  /** The repository's own file, when it has one. */
  readonly repositoryFile: string | null
  /** The commands that the repository's file would have us run. */
  readonly commands: readonly NamedCommand[]
  /** The rule files that the repository's file names. */
  readonly repositoryRules: readonly string[]
}

/** Flags over variables over the repository's file over the user's file over the defaults. */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const { repositoryRoot: root, env, flags = [], userConfigFile = userConfigPath(env) } = request
  const kinds = withOwnAgents(request.agents ?? [])
  const file = root === null ? null : join(root, configFileName)
  const repository =
    request.repositoryText !== undefined
      ? givenText(request.repositoryText)
      : file === null
        ? null
        : await readConfigFile(file, configFileName)
  const user = userConfigFile === null ? null : await readConfigFile(userConfigFile, userConfigFile)
  const misnamed = root === null ? [] : await findMisnamed(root)
  const { repository: written, ...composed } = composeConfig({
    repository: textOf(repository),
    user: textOf(user),
    env,
    flags,
    kinds,
    usableAgents: usableAgents(kinds, env),
    problems: [...misnamed, ...problemsOf(repository), ...problemsOf(user)],
  })
  return {
    ...composed,
    kinds,
    repositoryFile: repository === null ? null : file,
    commands: listCommands(written, kinds),
    repositoryRules: ruleFilesOf(written.review ?? {}),
  }
}

/** The rule files of a configuration; a list under `rules` is one of files too. */
export const ruleFilesOf = ({
  rules,
  rule_files: files = [],
}: {
  readonly rules?: Readonly<Record<string, unknown>> | readonly string[] | undefined
  readonly rule_files?: readonly string[] | undefined
}): readonly string[] => [...(isRuleList(rules) ? rules : []), ...files]

export const isRuleList = (rules: unknown): rules is readonly string[] => Array.isArray(rules)

/** Where a person's own settings are, by the rules of the XDG base directories. */
export function userConfigPath(env: Variables): string | null {
  const { XDG_CONFIG_HOME: configHome, HOME: home } = env
  if (configHome && isAbsolute(configHome)) return join(configHome, 'fixpoint', 'config.yaml')
  return home && isAbsolute(home) ? join(home, '.config', 'fixpoint', 'config.yaml') : null
}

const maxBytes = 1_000_000

const givenText = (text: string | null): ReadFile => (text === null ? null : { name: configFileName, text })

type ReadFile = ConfigText | { readonly problem: PlacedProblem } | null

const textOf = (read: ReadFile): ConfigText | null => (read && 'text' in read ? read : null)
const problemsOf = (read: ReadFile): readonly PlacedProblem[] =>
  read && 'problem' in read ? [read.problem] : []

/** The file's text, why it cannot be read, or null when there is none. */
async function readConfigFile(path: string, name: string): Promise<ReadFile> {
  const refuse = (text: string): ReadFile => ({ problem: { where: name, offset: 0, key: '', text } })
  try {
    // Asked before it is opened: opening a pipe that nobody writes to would never end.
    const found = await stat(path)
    if (!found.isFile())
      return refuse(`is ${found.isDirectory() ? 'a folder' : 'a special file'}, expected a file`)
    const bytes = await readStart(path, maxBytes + 1)
    if (bytes.length > maxBytes) return refuse('is larger than 1 MB')
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return refuse('is not UTF-8 text')
    if (code === 'EACCES' || code === 'EPERM' || code === 'ELOOP') return refuse(`cannot be read (${code})`)
    throw new Fault('internal', `${path} cannot be read`, { cause: error })
  }
}

/** People also write `fixpoint.yml`: it is refused, because silently not reading it would be worse. */
async function findMisnamed(root: string): Promise<readonly PlacedProblem[]> {
  const name = 'fixpoint.yml'
  try {
    await stat(join(root, name))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
  }
  return [{ where: name, offset: 0, key: '', text: `is not read; rename it to ${configFileName}` }]
}
