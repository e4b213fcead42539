import { setImmediate as nextTurn } from 'node:timers/promises'

export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** What a promise gives, or undefined when it takes longer. */
export async function within<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), Math.min(limitMs, LONGEST_TIMER_MS))
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

const PAUSE_MS = 500
const MOST_PAUSES = 20

/**
 * Waits for the rest of a process's output, for as long as some arrives; not for pipes that something else holds open.
 * A timer alone would not do: after a long block it comes before what is ready to be read.
 */
export async function drain(closed: Promise<unknown>, received: () => number): Promise<void> {
  const isClosed = closed.then(() => true)
  for (let pauses = 0, before = -1; pauses < MOST_PAUSES && received() !== before; pauses += 1) {
    before = received()
    if (await within(isClosed, PAUSE_MS)) return
    await nextTurn()
  }
}
