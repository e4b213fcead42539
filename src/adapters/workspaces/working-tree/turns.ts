/** Lets some work at once; the others wait for their turn. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

export function createTurns(atOnce: number): Turns {
  let working = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (working < atOnce) working += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else working -= 1
    }
  }
}
