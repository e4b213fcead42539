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
