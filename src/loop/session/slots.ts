/** How many agents may run at once; the rest of an attempt's work needs no place. */
export interface Slots {
  /** Waits for a place, then works; null when the wait ended because nothing new may start. */
  run<T>(stop: AbortSignal, work: () => Promise<T>): Promise<T | null>
}

export function createSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  const release = (): void => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return {
    async run(stop, work) {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return stop.aborted ? null : await work()
      } finally {
        release()
      }
    },
  }
}
