import { setTimeout as delay } from 'node:timers/promises'

export interface Refresh {
  /** Something has changed: reads again soon, and once more when it changes meanwhile. */
  request(): void
  end(): void
}

/** Reads at most so often, one after the other, however often it is asked to. */
export function createRefresh(read: () => Promise<void>, pauseMs: number): Refresh {
  let isDirty = false
  let isRunning = false
  let isEnded = false
  const run = async (): Promise<void> => {
    isRunning = true
    while (isDirty && !isEnded) {
      isDirty = false
      await read()
      await delay(pauseMs, undefined, { ref: false })
    }
    isRunning = false
  }
  return {
    request() {
      isDirty = true
      if (!isRunning && !isEnded) void run()
    },
    end: () => {
      isEnded = true
    },
  }
}
