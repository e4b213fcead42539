/** The candidate that a mistyped word most likely means, or null when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const typed = word.slice(0, 80).toLowerCase()
  const limit = typed.length < 3 ? 0 : Math.max(1, Math.floor(typed.length / 3))
  let best: string | null = null
  let least = limit + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - typed.length) >= least) continue
    const distance = editDistance(typed, candidate.toLowerCase())
    if (distance < least) [best, least] = [candidate, distance]
  }
  return best
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. Libraries that are kept
 * (`leven`, `fastest-levenshtein`) count a swap as two steps, so that `fxi` or `lnad`, where one step is allowed, would get
 * no suggestion; commander does not export its own, and `damerau-levenshtein` has had no release since 2021.
 */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const steps = [at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1)]
      if (swapped) steps.push(at(beforeLast, column - 2) + 1)
      current.push(Math.min(...steps))
    }
    ;[beforeLast, last] = [last, current]
  }
  return at(last, to.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity
