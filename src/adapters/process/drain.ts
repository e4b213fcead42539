import { setImmediate as nextTurn } from 'node:timers/promises'
import { within } from './within.ts'

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
