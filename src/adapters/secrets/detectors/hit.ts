/** A secret and where it stands. The value is for comparing only: it never leaves this folder. */
export interface Hit {
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly value: string
}

export type Detector = (text: string) => readonly Hit[]

/** What a scan says: what it found, or why it could not look. The second never means "nothing found". */
export type SecretScan<Found> = { readonly found: readonly Found[] } | { readonly unscanned: string }

/** Hits in order; those that overlap become one, of the kind of the longest. */
export function uniteHits(hits: readonly Hit[]): readonly Hit[] {
  const united: Hit[] = []
  let longest = 0
  for (const hit of hits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = united.at(-1)
    const length = hit.end - hit.start
    if (last === undefined || hit.start >= last.end) {
      united.push(hit)
      longest = length
      continue
    }
    const chosen = length > longest ? hit : last
    united[united.length - 1] = { ...chosen, start: last.start, end: Math.max(last.end, hit.end) }
    longest = Math.max(longest, length)
  }
  return united
}

/** The hits that share no character with any of the united ones. */
export function notOverlapping(united: readonly Hit[], hits: readonly Hit[]): readonly Hit[] {
  let index = 0
  return hits
    .toSorted((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      while (index < united.length && (united[index]?.end ?? 0) <= start) index += 1
      return (united[index]?.start ?? Infinity) >= end
    })
}

/** Gives each offset, in ascending order, its line counted from 1. */
export function linesOf(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1
  let next = text.indexOf('\n')
  return offsets.map((offset) => {
    while (next !== -1 && next < offset) {
      line += 1
      next = text.indexOf('\n', next + 1)
    }
    return line
  })
}

/** All places of one group of a global pattern, the whole match when the pattern has no such group. */
export function* matchesOf(
  text: string,
  pattern: RegExp,
  group = 0,
): Generator<{ readonly value: string; readonly start: number; readonly end: number }> {
  for (const match of text.matchAll(pattern)) {
    const value = match[group] ?? match[0]
    // Groups are looked for from the end: what stands before one may hold the same text.
    const start = match.index + (group === 0 ? 0 : match[0].lastIndexOf(value))
    yield { value, start, end: start + value.length }
  }
}
