/** What makes the values of a planted test. */
export interface Seed {
  readonly mark: string
  /** Two numbers that differ. */
  readonly values: Values
}

export type Values = readonly [number, number]

/** A file of failing tests. */
export interface Written {
  readonly text: string
  /** One for each way to fail. */
  readonly titles: readonly string[]
}

interface TitleOptions {
  readonly count: number
  readonly joint: string
  /** Whether the titles as they are belong to tests that stay. */
  readonly areTaken: boolean
}

/** As many titles as are needed: those of the template as they are, then the same with a number. */
export function titlesLike(
  existing: readonly string[],
  { count, joint, areTaken }: TitleOptions,
): readonly string[] {
  const known = [...new Set(existing)]
  return Array.from({ length: count }, (_, index) => {
    const title = known[index % known.length] ?? ''
    const round = Math.floor(index / known.length) + (areTaken ? 1 : 0)
    return round === 0 ? title : `${title}${joint}${round + 1}`
  })
}
