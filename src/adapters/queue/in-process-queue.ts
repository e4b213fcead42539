import type { QueueKind, QueueEntry, QueueTerms, Queue, WorkRequest } from '../../loop/ports.ts'
import { handOver, keyOfEntry, kindOfEntry } from './queue-entry.ts'

interface Waiting {
  readonly job: QueueEntry
  readonly turn: number
  readonly number: number
}

interface Taker {
  readonly request: WorkRequest
  readonly running: Set<Promise<void>>
  isStopped: boolean
}

export interface InProcessQueueOptions {
  /** Called when a handler throws; the job counts as done all the same. */
  readonly onError: (error: unknown) => void
}

/** The queue of one process, which ends with it: the next process finds the open work in the rows. */
export function createInProcessQueue({ onError }: InProcessQueueOptions): Queue {
  const waiting = new Map<string, Waiting>()
  /** Those of them that may be given out, in the order of their turns. */
  const due: Readonly<Record<QueueKind, Waiting[]>> = { sessions: [], attempts: [], reviews: [] }
  const takers: Taker[] = []
  const timers = new Set<NodeJS.Timeout>()
  let count = 0

  const handOut = (kind: QueueKind): void => {
    for (;;) {
      const taker = due[kind].length > 0 && takers.find((one) => one.request.kind === kind && isFree(one))
      const next = taker && due[kind].shift()
      if (!next) return
      waiting.delete(keyOfEntry(next.job))
      void handle(taker, next.job, onError).finally(() => handOut(kind))
    }
  }
  const giveOut = (entry: Waiting): void => {
    insert(due[kindOfEntry(entry.job)], entry)
    handOut(kindOfEntry(entry.job))
  }

  return {
    async send(job, { turn = 0, delayMs = 0 }: QueueTerms = {}) {
      if (waiting.has(keyOfEntry(job))) return
      const entry: Waiting = { job, turn, number: (count += 1) }
      waiting.set(keyOfEntry(job), entry)
      return delayMs > 0 ? later(timers, delayMs, () => giveOut(entry)) : giveOut(entry)
    },
    async work(request) {
      const taker: Taker = { request, running: new Set(), isStopped: false }
      takers.push(taker)
      handOut(request.kind)
      return { stop: () => stopTaker(taker) }
    },
    depth: async (kind) => keysOf(kind, waiting).size,
    waiting: async (kind) => keysOf(kind, waiting),
    async close() {
      for (const timer of timers) clearTimeout(timer)
      waiting.clear()
      Object.values(due).forEach((entries) => entries.splice(0))
    },
  }
}

function later(timers: Set<NodeJS.Timeout>, delayMs: number, work: () => void): void {
  const timer = setTimeout(() => {
    timers.delete(timer)
    work()
  }, delayMs)
  timers.add(timer)
}

const keysOf = (kind: QueueKind, waiting: ReadonlyMap<string, Waiting>): ReadonlySet<string> =>
  new Set([...waiting].flatMap(([key, { job }]) => (kindOfEntry(job) === kind ? [key] : [])))

const isFree = ({ isStopped, running, request }: Taker): boolean =>
  !isStopped && running.size < request.atOnce

/** Puts a job where its turn is: behind those of the same turn. */
function insert(due: Waiting[], entry: Waiting): void {
  let [from, to] = [0, due.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const other = due[middle]
    if (other && (other.turn - entry.turn || other.number - entry.number) < 0) from = middle + 1
    else to = middle
  }
  due.splice(from, 0, entry)
}

async function handle(taker: Taker, job: QueueEntry, onError: (error: unknown) => void): Promise<void> {
  const done = handOver(taker.request, job).catch(onError)
  taker.running.add(done)
  await done
  taker.running.delete(done)
}

async function stopTaker(taker: Taker): Promise<void> {
  taker.isStopped = true
  await Promise.all(taker.running)
}
