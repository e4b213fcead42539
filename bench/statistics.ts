/** The value that the given part (0–1) of the sample does not exceed. */
export function quantile(sample: readonly number[], part: number): number {
  const sorted = sample.toSorted((a, b) => a - b)
  const at = Math.max(0, Math.ceil(sorted.length * part) - 1)
  return sorted[at] ?? Number.NaN
}

export const median = (sample: readonly number[]): number => quantile(sample, 0.5)

/** A generator of numbers in [0, 1) that gives every run the same data. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
