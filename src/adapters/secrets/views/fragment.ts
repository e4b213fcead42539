export type Range = readonly [start: number, end: number]

/** Text made out of a part of another text, and the way back. */
export interface Fragment {
  readonly text: string
  /** Where a range of this text comes from. */
  locate(start: number, end: number): Range
}

/** The given ranges of a text, put together. */
export function keepRanges(text: string, ranges: readonly Range[]): Fragment {
  const offsets: number[] = []
  let length = 0
  for (const [start, end] of ranges) {
    offsets.push(length)
    length += end - start
  }
  const origin = (offset: number): number => {
    const index = lastAtMost(offsets, offset)
    return (ranges[index]?.[0] ?? 0) + offset - (offsets[index] ?? 0)
  }
  return {
    text: ranges.map(([start, end]) => text.slice(start, end)).join(''),
    locate: (start, end) => [origin(start), origin(Math.max(start, end - 1)) + 1],
  }
}

/** Many fragments as one text, one below the other, so that every rule runs once. */
export function stackFragments(fragments: readonly Fragment[]): Fragment {
  const starts: number[] = []
  let length = 0
  for (const { text } of fragments) {
    starts.push(length)
    length += text.length + 1
  }
  return {
    text: fragments.map(({ text }) => text).join('\n'),
    locate(start, end) {
      const index = lastAtMost(starts, start)
      const fragment = fragments[index]
      const from = starts[index] ?? 0
      return fragment?.locate(start - from, Math.min(end - from, fragment.text.length)) ?? [0, 0]
    },
  }
}

/** A fragment of a fragment, with the way back to the first text. */
export const nestFragment = (outer: Fragment, inner: Fragment): Fragment => ({
  text: inner.text,
  locate: (start, end) => outer.locate(...inner.locate(start, end)),
})

/** The index of the last of the ascending numbers that is not above the limit. */
function lastAtMost(ascending: readonly number[], limit: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? Infinity) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
