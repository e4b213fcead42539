import { hash as digest } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { v7 } from 'uuid'
import type { Clock, Hash, Ids } from '../loop/ports.ts'

/** Waiting takes up to this much longer, so that many who wait for the same thing do not come back in the same moment. */
const jitter = 0.2

export const clock: Clock = {
  now: () => Date.now(),
  async wait(ms, signal) {
    if (signal.aborted) return
    const longest = 2 ** 31 - 1
    await setTimeout(Math.min(longest, ms * (1 + Math.random() * jitter)), undefined, { signal }).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error
      },
    )
  },
}

/** Ids of one process ascend, also within a millisecond. */
export const ids: Ids = { next: (prefix) => `${prefix}_${nextUuid()}` }

const COUNTED_DIGITS = 6
const MOST_COUNTED = 16 ** COUNTED_DIGITS
let lastMs = 0
let start = ''
let count = 0

/** A UUID of version 7 without its dashes; within a millisecond its random end is counted up, as RFC 9562 allows. */
function nextUuid(): string {
  const now = Date.now()
  count += 1
  if (now > lastMs || count === MOST_COUNTED) {
    lastMs = Math.max(now, lastMs + 1)
    const fresh = v7({ msecs: lastMs }).replaceAll('-', '')
    start = fresh.slice(0, -COUNTED_DIGITS)
    // Half of the numbers, so that those that follow within the millisecond have room.
    count = Math.floor(Number.parseInt(fresh.slice(-COUNTED_DIGITS), 16) / 2)
  }
  return start + count.toString(16).padStart(COUNTED_DIGITS, '0')
}

export const hash: Hash = (text) => digest('sha256', text)
