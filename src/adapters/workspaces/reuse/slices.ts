import { setImmediate as nextTurn } from 'node:timers/promises'

const SLICE_MS = 5

/** Lets others have their turn, whenever synchronous work has gone on for a few milliseconds. */
export function createSlices(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < SLICE_MS) return undefined
    return nextTurn().then(() => {
      startedAt = performance.now()
    })
  }
}
