import { openArtifacts } from '../../adapters/artifacts/index.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Store } from '../../adapters/store/index.ts'
import { loadConfig } from '../../app/config/load-config.ts'
import type { Override } from '../../app/config/overrides.ts'
import { openHome } from '../../app/home.ts'
import { addRepository, type AddedRepository, type RepositoryWish } from '../../app/mirrors/add-repository.ts'
import type { App } from '../../app/open-app.ts'
import { openQueue } from '../../app/worker/open-queue.ts'
import { openStore } from '../../app/open-store.ts'
import type { Listener } from '../../app/publisher.ts'
import { createOpenKnown, openersOf, type OpenKnown } from '../../app/worker/open-known.ts'
import { sharedHandBacks } from '../../app/worker/open-worker.ts'
import {
  agentsAtOnce,
  createRunningSessions,
  type RunningSessions,
} from '../../app/worker/running-sessions.ts'
import { startReviewWorker } from '../../app/review-orders/review-worker.ts'
import {
  attemptsAtOnce,
  handsOver,
  startWorking,
  type Working,
  type WorkingParts,
} from '../../app/worker/start-working.ts'
import type { Artifacts, ArtifactShelf, Queue, StoredSession } from '../../loop/ports.ts'
import type { Config } from '../../model/config/config.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId, SessionId } from '../../model/id.ts'
import type { Repository } from '../../model/repository.ts'
import { createEventFeeds, type EventFeeds } from '../events/event-feeds.ts'
import { hearBoth, passWordsOn } from '../../app/review-orders/pass-words-on.ts'
import { createReviewFeeds, type ReviewFeeds } from './review-feeds.ts'
import { createAskedReviews, type AskedReviews } from './asked-reviews.ts'
import { createChores, type Chores } from './chores.ts'
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
  readonly reviews: AskedReviews
  readonly reviewFeeds: ReviewFeeds
  /** How many sessions this process drives at once; null when it leaves them to workers. */
  readonly works: {
    readonly working: Working
    readonly concurrency: number
    readonly perRepository: number
  } | null
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
  const home = openHome(env)
  const store = await openStore(home, env)
  if (!works) await requireWorkers(store)
  const queue = await openQueue({ env, onError: (error) => onError(error, 'the queue') })
  const openKnown = createOpenKnown({ env, home, store })
  const finders = findersIn(store, openKnown)
  const running = createRunningSessions(onError, handsOver(store, queue))
  const feeds = createEventFeeds({
    sessions: store.sessions,
    watch: store.watch,
    isDrivenHere: running.has,
    onError: (error) => onError(error, 'reading events'),
  })
  const reviewFeeds = createReviewFeeds(store)
  const driving = {
    home,
    store,
    queue,
    running,
    onError,
    ...openersOf(openKnown, finders.findRepository),
    publish: toBoth(feeds.publish, onEvent),
    reviewListener: hearBoth(reviewFeeds, passWordsOn(store.words)),
  }
  const { limits, artifacts } = (await loadConfig({ repositoryRoot: null, env })).config
  const own = works ? await startDriving(driving, limits) : null
  // What nobody committed is reviewed here also where workers do the rest.
  const worker = own?.working.reviews ?? (await startReviewWorker({ ...driving, handBacks: 0 }, 0))
  const shelf = openArtifacts({ url: artifacts.url, home, env })
  return {
    home,
    env,
    store,
    queue,
    artifacts: shelf,
    feeds,
    running,
    runner: createSessionRunner({ ...driving, ...finders }),
    reviews: createAskedReviews({ store, queue, worker }),
    reviewFeeds,
    ...finders,
    works: own,
    addRepository: (wish) => addRepository(wish, { home, env, store }),
    ...createChores({ home, env, store, artifacts: shelf, ...finders, onError }),
    ...endInOrder({ working: own?.working ?? worker, feeds: [feeds, reviewFeeds], running, queue, store }),
  }
}

type Finders = Pick<Serving, 'findRepository' | 'findSession' | 'openRepository' | 'withRepository'>

function findersIn(store: Store, openKnown: OpenKnown): Finders {
  const findRepository: Serving['findRepository'] = (id) => repositoryIn(store, id)
  const openRepository: Serving['openRepository'] = async (id, flags = []) =>
    openKnown(await findRepository(id), { flags })
  return {
    findRepository,
    openRepository,
    findSession: (id) => sessionIn(store, id),
    withRepository: closingAfter(openRepository),
  }
}

interface EndParts extends Pick<Serving, 'running' | 'queue' | 'store'> {
  readonly working: Pick<Working, 'stop'>
  readonly feeds: readonly Pick<EventFeeds, 'close'>[]
}

const endInOrder = ({
  working,
  running,
  feeds,
  queue,
  store,
}: EndParts): Pick<Serving, 'stop' | 'close'> => ({
  stop: async (graceMs) => void (await Promise.all([working.stop(graceMs), running.stopAll(graceMs)])),
  async close() {
    for (const feed of feeds) feed.close()
    await queue.close()
    await store.close()
  },
})

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
  parts: Omit<WorkingParts, 'handBacks' | 'perRepository'>,
  { per_repository: perRepository, per_worker: perWorker }: Config['limits'],
): Promise<NonNullable<Serving['works']>> {
  const isAlone = parts.store.isOwnerAlive === null
  const places = isAlone ? Number.POSITIVE_INFINITY : perWorker
  const working = await startWorking(
    { ...parts, perRepository, handBacks: isAlone ? 0 : sharedHandBacks },
    { sessions: places, reviews: places, attempts: attemptsAtOnce(null) },
  )
  return { working, concurrency: isAlone ? agentsAtOnce : perWorker, perRepository }
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
