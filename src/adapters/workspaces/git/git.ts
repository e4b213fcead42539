import { pipeGit, runGit, type GitCall, type GitResult } from '../../process/git-process.ts'
import { hardenedEnvironment, hardenedSettings, type Environment } from './environment.ts'

export interface GitOptions extends Pick<
  GitCall,
  'stdin' | 'timeoutMs' | 'maxBytes' | 'overflow' | 'answers'
> {
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

export function createGit(program: string, gitDir: string, env: Environment): Git {
  const base = hardenedEnvironment(env)
  const git: Git = {
    gitDir,
    call: (args, { env: added, ...options } = {}) => ({
      ...options,
      program,
      args: [...hardenedSettings, ...args],
      cwd: gitDir,
      env: { ...base, GIT_DIR: gitDir, ...added },
    }),
    run: (args, options) => runGit(git.call(args, options)),
    text: async (args, options) => (await git.run(args, options)).stdout.toString('utf8').replace(/\n$/, ''),
    pipe: (args, options, to) => pipeGit(git.call(args, options), to.git.call(to.args, to.options)),
  }
  return git
}
