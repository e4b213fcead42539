import { hostname } from 'node:os'
import type { Store } from '../../adapters/store/index.ts'
import type { Queue } from '../../loop/ports.ts'
import type { Worker } from '../../model/worker.ts'
import { ids } from '../machine.ts'
import { createLostSender, sendDue, sendOrphans } from './due-sessions.ts'
import { sendReviews } from '../review-orders/due-reviews.ts'
import type { RunningSessions } from './running-sessions.ts'
import type { Working } from './start-working.ts'

export interface WorkerChoresParts {
  readonly store: Store
  readonly queue: Queue
  readonly running: RunningSessions
  readonly working: Pick<Working, 'attempts' | 'reviews'>
  readonly version: string
  readonly concurrency: number
  readonly perRepository: number
  /** Frees the room on this machine's disk that nothing needs; left out where somebody else does. */
  readonly collect?: () => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

/** With a database that several machines use, a dead process is noticed within seconds. */
const shared = { orphansMs: 1_000, dueMs: 5_000 }
/** With a file, all processes are on this machine, and the next one that starts looks first of all. */
const alone = { orphansMs: null, dueMs: 30_000 }
const sayMs = 2_000
const lostMs = 5_000
const collectMs = 10 * 60_000

export interface WorkerChores {
  /** Says that this worker takes nothing more. */
  drain(): Promise<void>
  /** Looks at nothing any more, and is off the list of workers. */
  stop(): Promise<void>
}

/** Looks again and again which sessions somebody should go on with, and tells the others what this worker does. */
export async function startWorkerChores(parts: WorkerChoresParts): Promise<WorkerChores> {
  const { store, queue, running, perRepository, collect, onError } = parts
  const every = store.isOwnerAlive === null ? alone : shared
  const describe = createSelf(parts)
  const say = (): Promise<void> => store.workers.put(describe())
  const timers: NodeJS.Timeout[] = []
  const repeat = (ms: number, what: string, work: () => Promise<void>): void => {
    let isBusy = false
    const turn = async (): Promise<void> => {
      if (isBusy) return
      isBusy = true
      await work().catch((error: unknown) => onError(error, what))
      isBusy = false
    }
    timers.push(setInterval(() => void turn(), ms))
  }
  await say()
  await sendDue({ store, queue, perRepository })
  await sendReviews({ store, queue })
  repeat(sayMs, 'telling what this worker does', say)
  // One of all workers looks for everybody: what each of them would read grows with the number of sessions.
  const forAll = (chore: string, everyMs: number, work: () => Promise<void>): void =>
    repeat(everyMs, `looking for sessions (${chore})`, async () => {
      if (await store.workers.claim(chore, everyMs * 0.9)) await work()
    })
  forAll('due', every.dueMs, () => sendDue({ store, queue, perRepository }))
  forAll('reviews', every.orphansMs ?? every.dueMs, () => sendReviews({ store, queue }))
  if (every.orphansMs !== null) forAll('orphans', every.orphansMs, () => sendOrphans({ store, queue }))
  if (every.orphansMs !== null)
    repeat(lostMs, 'looking for sessions that nobody drives', createLostSender({ store, queue }, running))
  if (collect) {
    const what = 'freeing room on the disk'
    void collect().catch((error: unknown) => onError(error, what))
    repeat(collectMs, what, collect)
  }
  return {
    async drain() {
      describe.isDraining = true
      await say().catch((error: unknown) => onError(error, 'telling that this worker drains'))
    },
    async stop() {
      timers.forEach((timer) => clearInterval(timer))
      await store.workers.remove(describe().id).catch((error: unknown) => onError(error, 'leaving'))
    },
  }
}

/** What this worker says of itself, each time anew. */
function createSelf({
  running,
  working,
  version,
  concurrency,
}: WorkerChoresParts): (() => Worker) & { isDraining: boolean } {
  const id = ids.next('wrk')
  const started_at = new Date().toISOString()
  const describe = (): Worker => ({
    id,
    host: hostname(),
    pid: process.pid,
    version,
    concurrency,
    sessions: running.ids(),
    attempts: working.attempts?.ids() ?? [],
    reviews: working.reviews.ids(),
    started_at,
    draining: self.isDraining,
  })
  const self = Object.assign(describe, { isDraining: false })
  return self
}
