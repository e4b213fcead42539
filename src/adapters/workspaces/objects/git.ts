import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { pipeGit, runGit, type GitCall, type GitResult } from '../../process/git-process.ts'

interface GitOptions extends Pick<GitCall, 'stdin' | 'timeoutMs' | 'maxBytes' | 'overflow' | 'answers'> {
  /** Added to the hardened environment: `GIT_INDEX_FILE`, `GIT_WORK_TREE`, identities, dates. */
  readonly env?: Readonly<Record<string, string>>
}

/** Hardened git on one git directory. */
export interface Git {
  readonly gitDir: string
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>
  /** The output without its last line end. */
  text(args: readonly string[], options?: GitOptions): Promise<string>
  /** Sends the output of a command here to a command there. */
  pipe(
    args: readonly string[],
    options: GitOptions,
    to: { git: Git; args: readonly string[]; options?: GitOptions },
  ): Promise<void>
  call(args: readonly string[], options?: GitOptions): GitCall
}

interface GitPlace {
  readonly program: string
  readonly gitDir: string
  readonly env: Environment
  /** Called before every command; throws when the git directory may not be used. */
  readonly guard?: () => void
}

export function createGit({ program, gitDir, env, guard }: GitPlace): Git {
  const base = hardenedEnvironment(env)
  const git: Git = {
    gitDir,
    call(args, { env: added, ...options } = {}) {
      guard?.()
      return {
        ...options,
        program,
        args: [...hardenedSettings, ...args],
        cwd: gitDir,
        env: { ...base, GIT_DIR: gitDir, ...added },
      }
    },
    run: async (args, options) => runGit(git.call(args, options)),
    text: async (args, options) => (await git.run(args, options)).stdout.toString('utf8').replace(/\n$/, ''),
    pipe: async (args, options, to) => pipeGit(git.call(args, options), to.git.call(to.args, to.options)),
  }
  return git
}

export type Environment = Readonly<Record<string, string | undefined>>

/** What git may see of the caller's environment while it discovers the repository: its configuration, no redirection. */
export function discoveryEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (!name.startsWith('GIT_') || isDiscoverySetting(name)),
  )
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
  }
}

const isDiscoverySetting = (name: string): boolean =>
  name.startsWith('GIT_CONFIG_') ||
  name === 'GIT_CEILING_DIRECTORIES' ||
  name === 'GIT_DISCOVERY_ACROSS_FILESYSTEM'

/** The whole environment of every other call: no configuration of the user or the system, no prompt, no network. */
const hardenedEnvironment = (env: Environment): Record<string, string> => ({
  PATH: absolutePath(env),
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_EDITOR: 'false',
  GIT_PAGER: 'cat',
})

/** Settings that win over any configuration file, so that nothing a repository says can start a program. */
const hardenedSettings: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.alternateRefsCommand=',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'diff.ignoreSubmodules=all',
  'commit.gpgSign=false',
  'core.fsync=committed,reference',
  'core.fsyncMethod=batch',
].flatMap((setting) => ['-c', setting])

/** Finds git on the absolute entries of PATH, so that no folder of a repository can stand in for it. */
export function findGit(env: Environment): string {
  const names = process.platform === 'win32' ? ['git.exe'] : ['git']
  const candidates = absolutePath(env)
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
  const found = candidates.find(isExecutable)
  if (found !== undefined) return found
  throw new Fault('repository_unsupported', 'git was not found on PATH', {
    hint: 'install git 2.38 or newer',
  })
}

const absolutePath = (env: Environment): string =>
  (env['PATH'] ?? '').split(delimiter).filter(isAbsolute).join(delimiter)

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
