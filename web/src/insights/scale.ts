/** Half of the width of a day such as Nov 30, which must not leave the picture. */
export const halfLabel = 20

/** A round number at or above the greatest value, so that the axis reads well. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10
  return step * power
}

/** The values of the lines of an axis: an axis of counts has lines at whole numbers only. */
export const ticksOf = (most: number, kind: 'count' | 'amount'): readonly number[] =>
  [0, most / 2, most].filter((tick) => kind === 'amount' || Number.isInteger(tick))

/** At most the given number of labels, spread over the points. */
export function spread(count: number, most: number): readonly number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index)
  return Array.from({ length: most }, (_, index) => Math.round((index * (count - 1)) / (most - 1)))
}
