import { openRepository, type GitRepository } from '../../adapters/workspaces/index.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Store } from '../../adapters/store/index.ts'
import { Fault } from '../../model/fault.ts'
import type { RepositoryId } from '../../model/id.ts'
import type { ReviewOrder } from '../../model/review/review-order.ts'
import type { Session } from '../../model/session/session.ts'
import type { Repository } from '../../model/repository.ts'
import type { Override } from '../config/overrides.ts'
import { clock } from '../machine.ts'
import { openMirrors } from '../mirrors/open-mirrors.ts'
import { openApp, type App } from '../open-app.ts'
import { parseRepositoryUrl } from '../../model/repository-url.ts'

export interface OpenKnownParts {
  readonly env: Variables
  readonly home: string
  readonly store: Store
}

export interface OpenKnownOptions {
  readonly flags?: readonly Override[]
  /** Commits that have to be there; a mirror fetches those that are not. */
  readonly commits?: readonly string[]
}

export type OpenKnown = (known: Repository, options?: OpenKnownOptions) => Promise<App>

/** Opens repositories that are on the list, and refuses when another one is in the folder by now. */
export function createOpenKnown({ env, home, store }: OpenKnownParts): OpenKnown {
  const openGit = createGitCache(home, env)
  const mirrors = openMirrors({ home, env, store })
  // SQLite needs one connection per session; all sessions share the few connections that this process may have to a
  // server.
  const shared = store.isOwnerAlive === null ? {} : { store }
  const find = async ({ path, url }: Repository, commits: readonly string[]): Promise<FoundPlace> => {
    if (url === null) return { cwd: path, git: await openGit(path) }
    const { root, stale } = await mirrors.bring(parseRepositoryUrl(url), { commits })
    const git = await openGit(root)
    return { cwd: root, url, git: stale === null ? git : { ...git, notes: [...git.notes, stale] } }
  }
  return async (known, { flags = [], commits = [] } = {}) => {
    const app = await openApp({ ...(await find(known, commits)), env, flags, ...shared })
    if (app.repository.id === known.id) return app
    await app.close()
    throw new Fault('not_found', `another repository is at ${known.path} now`, {
      hint: 'Add it anew: POST /api/repositories.',
    })
  }
}

/** Opens the repository that a session, or a review, is about, with the settings that were asked for. */
export const openersOf = (openKnown: OpenKnown, find: (id: RepositoryId) => Promise<Repository>) => ({
  openFor: async ({ repository_id, settings = [], base }: Session): Promise<App> =>
    openKnown(await find(repository_id), { flags: settings, commits: [base.commit] }),
  openForReview: async ({ repository_id, settings, commit }: ReviewOrder): Promise<App> =>
    openKnown(await find(repository_id), { flags: settings, commits: [commit] }),
})

interface FoundPlace {
  readonly cwd: string
  readonly git: GitRepository
  readonly url?: string
}

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
