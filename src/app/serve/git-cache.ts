import { openRepository, type GitRepository } from '../../adapters/workspaces/index.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { clock } from '../machine.ts'

const keptMs = 10_000

/** Opens repositories, each at most once in a few seconds: looking at one takes several runs of git. */
export function createGitCache(home: string, env: Variables): (path: string) => Promise<GitRepository> {
  const opened = new Map<string, { readonly at: number; readonly git: Promise<GitRepository> }>()
  return (path) => {
    const known = opened.get(path)
    if (known && clock.now() - known.at < keptMs) return known.git
    const git = openRepository({ cwd: path, home, env })
    opened.set(path, { at: clock.now(), git })
    // A failure is not kept: the next one looks again.
    git.catch(() => opened.delete(path))
    return git
  }
}
