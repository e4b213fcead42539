import { openArtifacts } from '../../adapters/artifacts/index.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { Queue, QueueKind } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import type { RepositoryId } from '../../model/id.ts'
import type { Repository } from '../../model/repository.ts'
import { loadConfig } from '../config/load-config.ts'
import { openHome } from '../home.ts'
import { openMirrors } from '../mirrors/open-mirrors.ts'
import { openQueue } from './open-queue.ts'
import { findDatabase, openStore } from '../open-store.ts'
import type { Listener } from '../publisher.ts'
import { sendDue } from './due-sessions.ts'
import { passWordsOn } from '../review-orders/pass-words-on.ts'
import { createOpenKnown, openersOf } from './open-known.ts'
import { createRunningSessions, type RunningSessions } from './running-sessions.ts'
import { attemptsAtOnce, handsOver, startWorking, type Working } from './start-working.ts'
import { startWorkerChores, type WorkerChores } from './worker-chores.ts'

export interface WorkerRequest {
  readonly env: Variables
  readonly version: string
  /** How many sessions it drives at once; as `limits.per_worker` says when it is null. */
  readonly concurrency: number | null
  /** What it takes from the queue; everything without it. */
  readonly only?: QueueKind | undefined
  readonly onError: (error: unknown, what: string) => void
  readonly onEvent: Listener
}

export interface OpenWorker {
  readonly concurrency: number
  /** Takes nothing more, gives running steps the grace to finish, and hands the sessions to other workers. */
  stop(graceMs: number): Promise<void>
  /** What a stop that is under way waits for. */
  waitsFor(): string
}

/** A process that does nothing but drive sessions which others have put into the queue. */
export async function openWorker({
  env,
  version,
  concurrency: asked,
  only,
  onError,
  onEvent,
}: WorkerRequest): Promise<OpenWorker> {
  const home = openHome(env)
  requireShared(home, env)
  const { limits, artifacts } = (await loadConfig({ repositoryRoot: null, env })).config
  // An address that cannot be read is refused now, and not by each session.
  openArtifacts({ url: artifacts.url, home, env })
  const concurrency = asked ?? limits.per_worker
  const store = await openStore(home, env)
  const queue = await openQueue({ env, onError: (error) => onError(error, 'the queue') })
  const running = createRunningSessions(onError, handsOver(store, queue))
  const driving = {
    home,
    store,
    queue,
    ...openersOf(createOpenKnown({ env, home, store }), (id) => requireKnown(store, id)),
    running,
    reviewListener: passWordsOn(store.words),
    publish: onEvent,
    onError,
    handBacks: sharedHandBacks,
    perRepository: limits.per_repository,
  }
  const terms = { sessions: concurrency, reviews: concurrency, attempts: attemptsAtOnce(asked), only }
  const working = await startWorking(driving, terms)
  const { per_repository: perRepository } = limits
  const parts = { store, queue, running, working, version, concurrency, perRepository, onError }
  // Nobody else looks after the disk of this machine.
  const mirrors = openMirrors({ home, env, store })
  const chores = await startWorkerChores({ ...parts, collect: async () => void (await mirrors.collect()) })
  return { concurrency, ...stopInOrder({ store, queue, running, working, chores, perRepository, onError }) }
}

interface StopParts extends Pick<WorkerRequest, 'onError'> {
  readonly store: Store
  readonly queue: Queue
  readonly running: RunningSessions
  readonly working: Working
  readonly chores: WorkerChores
  readonly perRepository: number
}

function stopInOrder(parts: StopParts): Pick<OpenWorker, 'stop' | 'waitsFor'> {
  const { store, queue, running, working, chores, perRepository, onError } = parts
  let waitsFor = ''
  return {
    waitsFor: () => waitsFor,
    async stop(graceMs) {
      const isFirst = waitsFor === ''
      const attempts = working.attempts?.ids() ?? []
      const reviews = working.reviews.ids()
      waitsFor = `sessions (${running.ids().join(', ')}), attempts (${attempts.join(', ')}) and reviews (${reviews.join(', ')})`
      const told = isFirst ? chores.drain() : Promise.resolve()
      await Promise.all([working.stop(graceMs), running.stopAll(graceMs), told])
      if (!isFirst) return
      waitsFor = 'handing sessions back'
      await sendDue({ store, queue, perRepository }).catch((error: unknown) =>
        onError(error, 'handing sessions back'),
      )
      await chores.stop()
      waitsFor = 'the queue'
      await queue.close()
      waitsFor = 'the database'
      await store.close()
    },
  }
}

async function requireKnown({ repositories }: Store, id: RepositoryId): Promise<Repository> {
  const known = await repositories.get(id)
  if (known) return known
  throw new Fault('not_found', `there is no repository "${id}"`)
}

/** Where several processes share the queue, each of them may be able to do what another one cannot. */
export const sharedHandBacks = 4

function requireShared(home: string, env: Variables): void {
  if ('url' in findDatabase(home, env)) return
  throw new Fault('usage', 'workers share a PostgreSQL database, and FIXPOINT_DATABASE names none', {
    hint: 'Set FIXPOINT_DATABASE=postgres://user:password@host:5432/name, or use fixpoint serve, which works by itself.',
  })
}
