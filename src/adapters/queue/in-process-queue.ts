import type { QueueEntry, QueueTerms, Queue, WorkRequest } from '../../loop/ports.ts'

interface Waiting {
  readonly job: QueueEntry
  readonly turn: number
  readonly number: number
  isDue: boolean
}

interface Taker extends WorkRequest {
  readonly running: Set<Promise<void>>
  isStopped: boolean
}

export interface InProcessQueueOptions {
  /** Is told when a handler throws; the job is done with all the same. */
  readonly onError: (error: unknown) => void
}

/** The queue of one process, which ends with it: whoever starts next finds in the rows what is to be done. */
export function createInProcessQueue({ onError }: InProcessQueueOptions): Queue {
  const waiting = new Map<string, Waiting>()
  const takers: Taker[] = []
  const timers = new Set<NodeJS.Timeout>()
  let count = 0

  const handOut = (): void => {
    for (;;) {
      const next = nextDue(waiting.values())
      const taker = takers.find((one) => !one.isStopped && one.running.size < one.atOnce)
      if (!next || !taker) return
      waiting.delete(next.job.sessionId)
      void handle(taker, next.job, onError).finally(handOut)
    }
  }
  const makeDue = (entry: Waiting, delayMs: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      entry.isDue = true
      handOut()
    }, delayMs)
    timers.add(timer)
  }

  return {
    async send(job, { turn = 0, delayMs = 0 }: QueueTerms = {}) {
      if (waiting.has(job.sessionId)) return
      const entry: Waiting = { job, turn, number: (count += 1), isDue: delayMs <= 0 }
      waiting.set(job.sessionId, entry)
      if (entry.isDue) handOut()
      else makeDue(entry, delayMs)
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
    },
  }
}

const nextDue = (waiting: Iterable<Waiting>): Waiting | undefined =>
  [...waiting].filter(({ isDue }) => isDue).toSorted((a, b) => a.turn - b.turn || a.number - b.number)[0]

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
