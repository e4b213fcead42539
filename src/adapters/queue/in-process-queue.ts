import type { QueueEntry, QueueTerms, Queue, WorkRequest } from '../../loop/ports.ts'

interface Waiting {
  readonly job: QueueEntry
  readonly turn: number
  readonly number: number
}

interface Taker extends WorkRequest {
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
  const due: Waiting[] = []
  const takers: Taker[] = []
  const timers = new Set<NodeJS.Timeout>()
  let count = 0

  const handOut = (): void => {
    for (;;) {
      const taker = due.length > 0 && takers.find((one) => !one.isStopped && one.running.size < one.atOnce)
      const next = taker && due.shift()
      if (!next) return
      waiting.delete(next.job.sessionId)
      void handle(taker, next.job, onError).finally(handOut)
    }
  }
  const makeDue = (entry: Waiting, delayMs: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      insert(due, entry)
      handOut()
    }, delayMs)
    timers.add(timer)
  }

  return {
    async send(job, { turn = 0, delayMs = 0 }: QueueTerms = {}) {
      if (waiting.has(job.sessionId)) return
      const entry: Waiting = { job, turn, number: (count += 1) }
      waiting.set(job.sessionId, entry)
      if (delayMs > 0) return makeDue(entry, delayMs)
      insert(due, entry)
      handOut()
    },
    async work(request) {
      const taker: Taker = { ...request, running: new Set(), isStopped: false }
      takers.push(taker)
      handOut()
      return { stop: () => stopTaker(taker) }
    },
    depth: async () => waiting.size,
    async close() {
      for (const timer of timers) clearTimeout(timer)
      waiting.clear()
      due.length = 0
    },
  }
}

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
  const done = taker.handle(job).catch(onError)
  taker.running.add(done)
  await done
  taker.running.delete(done)
}

async function stopTaker(taker: Taker): Promise<void> {
  taker.isStopped = true
  await Promise.all(taker.running)
}
