import { hash as digest, randomFillSync } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { v7 } from 'uuid'
import type { Clock, Hash, Ids } from '../loop/ports.ts'

/** Those who wait for the same thing should not all come back in the same moment. */
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
export const ids: Ids = { next: (prefix) => `${prefix}_${nextUuid().replaceAll('-', '')}` }

const RANDOM_BYTES = 16
// Taken in bulk: asked for one by one, the random bytes of a large import take as long as reading the report.
const pool = new Uint8Array(RANDOM_BYTES * 256)
let used = pool.length
let lastMs = 0
let sequence = 0

function nextUuid(): string {
  const now = Date.now()
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, (used += RANDOM_BYTES))
  if (now > lastMs) {
    lastMs = now
    // Half of the numbers, so that those that follow within the millisecond have room.
    sequence = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1
  } else sequence += 1
  return v7({ msecs: lastMs, seq: sequence, random })
}

export const hash: Hash = (text) => digest('sha256', text)
