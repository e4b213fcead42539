import { openArtifacts } from '../../adapters/artifacts/index.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Store } from '../../adapters/store/index.ts'
import { loadConfig } from '../../app/config/load-config.ts'
import type { Override } from '../../app/config/overrides.ts'
import { resolveHome } from '../../app/home.ts'
import { addRepository, type AddedRepository, type RepositoryWish } from '../../app/mirrors/add-repository.ts'
import type { App } from '../../app/open-app.ts'
import { openQueue } from '../../app/worker/open-queue.ts'
import { openStore } from '../../app/open-store.ts'
import type { Listener } from '../../app/publisher.ts'
import { createOpenKnown } from '../../app/worker/open-known.ts'
import { sharedHandBacks } from '../../app/worker/open-worker.ts'
import {
  agentsAtOnce,
  createRunningSessions,
  type RunningSessions,
} from '../../app/worker/running-sessions.ts'
import type { SessionWorkerParts } from '../../app/worker/session-worker.ts'
import { attemptsAtOnce, handsOver, startWorking, type Working } from '../../app/worker/start-working.ts'
import type { Artifacts, ArtifactShelf, Queue, StoredSession } from '../../loop/ports.ts'
import type { Config } from '../../model/config/config.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId, SessionId } from '../../model/id.ts'
import type { Repository } from '../../model/repository.ts'
import type { Session } from '../../model/session/session.ts'
import { createEventFeeds, type EventFeeds } from '../events/event-feeds.ts'
import { createChores, type Chores } from './chores.ts'
import { createRunningReviews, type RunningReviews } from './running-reviews.ts'
import { createSessionRunner, type SessionRunner } from './session-runner.ts'

export interface ServingRequest {
  readonly env: Variables
  /** Called when something goes wrong in the background, where no request waits for an answer. */
  readonly onError: (error: unknown, what: string) => void
  /** Every event of every session that this process drives. */
  readonly onEvent?: Parameters<App['subscribe']>[0]
  /** Whether this process drives sessions itself; it does, unless workers are to do it. */
  readonly works?: boolean
}

/** Everything that the server does, for all repositories of one home. */
export interface Serving extends Chores {
  readonly home: string
  readonly env: Variables
  readonly store: Store
  readonly queue: Queue
  /** What is kept of sessions, where this server's own configuration says. */
  readonly artifacts: Artifacts & ArtifactShelf
  readonly feeds: EventFeeds
  /** The sessions that this process drives right now. */
  readonly running: RunningSessions
  readonly runner: SessionRunner
  readonly reviews: RunningReviews
  /** How many sessions this process drives at once; null when it leaves them to workers. */
  readonly works: (Pick<Working, 'attempts'> & { readonly concurrency: number }) | null
  readonly findRepository: (id: string) => Promise<Repository>
  readonly findSession: (id: string) => Promise<StoredSession>
  /** Opens a repository for as long as the work takes. */
  readonly withRepository: <Value>(id: string, use: (app: App) => Promise<Value>) => Promise<Value>
  /** Opens a repository; whoever asked closes it. */
  readonly openRepository: (id: string, flags?: readonly Override[]) => Promise<App>
  /** Makes the repository at a path or an address known. */
  readonly addRepository: (wish: RepositoryWish) => Promise<AddedRepository>
  /** Puts every session of this process down so that the next one goes on with it: running steps get the grace to finish. */
  readonly stop: (graceMs: number) => Promise<void>
  /** Lets go of the store, the queue and the event feeds; to be called when nothing runs any more. */
  readonly close: () => Promise<void>
}

export async function openServing({ env, onError, onEvent, works = true }: ServingRequest): Promise<Serving> {
  const home = resolveHome(env)
  const store = await openStore(home, env)
  if (!works) await requireWorkers(store)
  const queue = await openQueue({ env, onError: (error) => onError(error, 'the queue') })
  const findRepository = (id: string): Promise<Repository> => repositoryIn(store, id)
  const findSession = (id: string): Promise<StoredSession> => sessionIn(store, id)
  const openKnown = createOpenKnown({ env, home, store })
  const openRepository: Serving['openRepository'] = async (id, flags = []) =>
    openKnown(await findRepository(id), { flags })
  const running = createRunningSessions(onError, handsOver(store, queue))
  const feeds: EventFeeds = createEventFeeds({
    sessions: store.sessions,
    watch: store.watch,
    isDrivenHere: running.has,
    onError: (error) => onError(error, 'reading events'),
  })
  const publish = toBoth(feeds.publish, onEvent)
  const openFor = async ({ repository_id, settings = [], base }: Session): Promise<App> =>
    openKnown(await findRepository(repository_id), { flags: settings, commits: [base.commit] })
  const { limits, artifacts } = (await loadConfig({ repositoryRoot: null, env })).config
  const driving = { home, store, queue, openFor, running, publish, onError }
  const worker = works ? await startDriving(driving, limits) : null
  const withRepository = closingAfter(openRepository)
  const shelf = openArtifacts({ url: artifacts.url, home, env })
  return {
    home,
    env,
    store,
    queue,
    artifacts: shelf,
    feeds,
    running,
    runner: createSessionRunner({ ...driving, findSession }),
    reviews: createRunningReviews(),
    findRepository,
    findSession,
    openRepository,
    withRepository,
    works: worker,
    addRepository: (wish) => addRepository(wish, { home, env, store }),
    ...createChores({ home, env, store, artifacts: shelf, withRepository, onError }),
    stop: async (graceMs) => void (await Promise.all([worker?.stop(graceMs), running.stopAll(graceMs)])),
    async close() {
      feeds.close()
      await queue.close()
      await store.close()
    },
  }
}

const toBoth =
  (first: Listener, second?: Listener): Listener =>
  (event) => {
    first(event)
    second?.(event)
  }

async function requireWorkers(store: Store): Promise<void> {
  if (store.isOwnerAlive !== null) return
  await store.close()
  throw new Fault('usage', 'without a PostgreSQL database there are no workers to leave sessions to', {
    hint: 'Start the server without --no-work.',
  })
}

/**
 * A server alone takes sessions of every repository at once, and shares the agents' places among them; of a database
 * that workers share too, it takes no more than one of them would.
 */
async function startDriving(
  parts: Omit<SessionWorkerParts, 'handBacks' | 'perRepository'>,
  { per_repository: perRepository, per_worker: perWorker }: Config['limits'],
): Promise<Working & { readonly concurrency: number }> {
  const isAlone = parts.store.isOwnerAlive === null
  const working = await startWorking(
    { ...parts, perRepository, handBacks: isAlone ? 0 : sharedHandBacks },
    { sessions: isAlone ? Number.POSITIVE_INFINITY : perWorker, attempts: attemptsAtOnce(null) },
  )
  return { ...working, concurrency: isAlone ? agentsAtOnce : perWorker }
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
