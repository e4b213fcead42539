/** One measured number with its upper limit. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly limit: number
  /** The unit of both numbers, such as `ms`, `MB` or `× bare Node`. */
  readonly unit: string
}

/** The exports of every `bench/*.bench.ts`. */
export interface Bench {
  readonly title: string
  /** The parts that can be measured alone, as `NAME:PART`. */
  readonly parts?: readonly string[]
  /** Measures everything, or one part. */
  run(part?: string): Promise<readonly Figure[]>
}

export const isOver = (figure: Figure): boolean => !(figure.value <= figure.limit)

/** `help  1.21 × bare Node  93 % of 1.3`, with the part of the limit that is used up. */
export function formatFigure(figure: Figure): string {
  const { name, value, limit, unit } = figure
  const verdict = isOver(figure) ? 'OVER ' : ''
  const share = limit === 0 ? 'of' : `${round((value / limit) * 100)} % of`
  return `  ${name.padEnd(44)} ${round(value)} ${unit}  ${verdict}${share} ${round(limit)}`
}

const round = (value: number): string => Number(value.toPrecision(3)).toString()
