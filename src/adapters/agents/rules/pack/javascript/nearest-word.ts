/** The one word that is at most two letters away from what was written; null when none or several are. */
export function nearestWord(written: string, words: readonly string[]): string | null {
  const distances = words.map((word) => ({ word, distance: distanceOf(written.toLowerCase(), word) }))
  const [best, next] = distances.toSorted((a, b) => a.distance - b.distance)
  if (!best || best.distance > 2 || best.distance * 2 >= best.word.length) return null
  return next?.distance === best.distance ? null : best.word
}

function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const swapped = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
