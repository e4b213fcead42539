import { realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Store } from '../../adapters/store/index.ts'
import { openRepository, type GitRepository } from '../../adapters/workspaces/index.ts'
import type { Override } from '../../app/config/overrides.ts'
import { collectSomeArtifacts } from '../../app/collect-artifacts.ts'
import { resolveHome } from '../../app/home.ts'
import { clock } from '../../app/machine.ts'
import { openApp, type App } from '../../app/open-app.ts'
import { openStore } from '../../app/open-store.ts'
import type { StoredSession } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId, SessionId } from '../../model/id.ts'
import type { Repository } from '../../model/repository.ts'
import { createEventFeeds, type EventFeeds } from '../events/event-feeds.ts'
import { createRunningReviews, type RunningReviews } from './running-reviews.ts'
import { createSessionRunner, shouldGoOn, type SessionRunner } from './session-runner.ts'

export interface ServingRequest {
  readonly env: Variables
  /** Is told what goes wrong in the background, where no request waits for an answer. */
  readonly onError: (error: unknown, what: string) => void
  /** Every event of every session that this process drives. */
  readonly onEvent?: Parameters<App['subscribe']>[0]
}

/** Everything that the server does, for all repositories of one home. */
export interface Serving {
  readonly home: string
  readonly env: Variables
  readonly store: Store
  readonly feeds: EventFeeds
  readonly runner: SessionRunner
  readonly reviews: RunningReviews
  readonly findRepository: (id: string) => Promise<Repository>
  readonly findSession: (id: string) => Promise<StoredSession>
  /** Opens a repository for as long as the work takes. */
  readonly withRepository: <Value>(id: string, use: (app: App) => Promise<Value>) => Promise<Value>
  /** Opens a repository; whoever asked closes it. */
  readonly openRepository: (id: string, flags?: readonly Override[]) => Promise<App>
  /** Makes the repository at a path known. */
  readonly addRepository: (path: string) => Promise<Repository>
  /** Goes on with sessions whose process is gone or whose quota is back; says which. */
  readonly pickUp: () => Promise<readonly SessionId[]>
  /** Deletes some of the artifacts that the retention of their repository no longer keeps. */
  readonly collect: () => Promise<void>
  /** Lets go of the store and the event feeds; to be called when nothing runs any more. */
  readonly close: () => Promise<void>
}

const sessionsLookedAt = 200

export async function openServing({ env, onError, onEvent }: ServingRequest): Promise<Serving> {
  const home = resolveHome(env)
  const store = await openStore(home, env)
  const findRepository = (id: string): Promise<Repository> => repositoryIn(store, id)
  const findSession = (id: string): Promise<StoredSession> => sessionIn(store, id)
  const openGit = createGitCache(home, env)
  const openRepository: Serving['openRepository'] = async (id, flags = []) =>
    openKnown(await findRepository(id), { env, flags, openGit })
  const feeds: EventFeeds = createEventFeeds({
    sessions: store.sessions,
    watch: store.watch,
    isDrivenHere: (id) => runner.isRunning(id),
    onError: (error) => onError(error, 'reading events'),
  })
  const runner: SessionRunner = createSessionRunner({
    store,
    openFor: ({ repository_id }) => openRepository(repository_id),
    findSession,
    publish: (event) => {
      feeds.publish(event)
      onEvent?.(event)
    },
    onError,
  })
  const withRepository = closingAfter(openRepository)
  const refused = new Set<SessionId>()
  return {
    home,
    env,
    store,
    feeds,
    runner,
    reviews: createRunningReviews(),
    findRepository,
    findSession,
    openRepository,
    withRepository,
    addRepository: (path) => addRepository(path, env),
    pickUp: () => pickUp({ store, runner, onError, refused }),
    collect: () => collectEverywhere({ store, withRepository, onError }),
    async close() {
      feeds.close()
      await store.close()
    },
  }
}

async function repositoryIn(store: Store, id: string): Promise<Repository> {
  const parsed = RepositoryId.safeParse(id)
  const found = parsed.success ? await store.repositories.get(parsed.data) : null
  if (found) return found
  throw new Fault('not_found', `there is no repository "${id}"`, {
    hint: 'GET /api/repositories lists them; POST adds one.',
  })
}

async function sessionIn(store: Store, id: string): Promise<StoredSession> {
  const parsed = SessionId.safeParse(id)
  const found = parsed.success ? await store.sessions.load(parsed.data) : null
  if (found) return found
  throw new Fault('not_found', `there is no session "${id}"`)
}

const closingAfter =
  (open: Serving['openRepository']): Serving['withRepository'] =>
  async (id, use) => {
    const app = await open(id)
    try {
      return await use(app)
    } finally {
      await app.close()
    }
  }

interface OpeningParts {
  readonly env: Variables
  readonly flags: readonly Override[]
  readonly openGit: ReturnType<typeof createGitCache>
}

/** Opens a repository that is on the list, and refuses when another one is in its folder by now. */
async function openKnown(known: Repository, { env, flags, openGit }: OpeningParts): Promise<App> {
  const app = await openApp({ cwd: known.path, env, flags, git: await openGit(known.path) })
  if (app.repository.id === known.id) return app
  await app.close()
  throw new Fault('not_found', `another repository is at ${known.path} now`, {
    hint: 'Add it anew: POST /api/repositories.',
  })
}

async function addRepository(path: string, env: Variables): Promise<Repository> {
  if (!isAbsolute(path) || path.includes('\0'))
    throw new Fault('usage', 'the path of a repository has to be absolute', {
      hint: 'Give it from the root on, such as /home/ada/project.',
    })
  const folder = await realpath(path).catch((cause: unknown) => {
    throw new Fault('not_a_repository', `${path} is not a folder`, { cause })
  })
  const app = await openApp({ cwd: folder, env })
  await app.close()
  return app.repository
}

interface PickUpParts extends Pick<Serving, 'store' | 'runner'>, Pick<ServingRequest, 'onError'> {
  /** Sessions that could not go on: each is reported once, then left to a person. */
  readonly refused: Set<SessionId>
}

async function pickUp({ store, runner, onError, refused }: PickUpParts): Promise<readonly SessionId[]> {
  const picked: SessionId[] = []
  for (const { id } of await store.repositories.list())
    for (const session of await store.sessions.list(id, sessionsLookedAt)) {
      if (refused.has(session.id) || !shouldGoOn(session, { store, nowMs: clock.now() })) continue
      try {
        await runner.resume(session.id)
        picked.push(session.id)
      } catch (error) {
        refused.add(session.id)
        onError(error, `going on with ${session.id}`)
      }
    }
  return picked
}

type CollectParts = Pick<Serving, 'store' | 'withRepository'> & Pick<ServingRequest, 'onError'>

async function collectEverywhere({ store, withRepository, onError }: CollectParts): Promise<void> {
  for (const { id, path } of await store.repositories.list())
    await withRepository(id, (app) => collectSomeArtifacts(app)).catch((error: unknown) =>
      onError(error, `collecting old artifacts of ${path}`),
    )
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
