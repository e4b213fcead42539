/** Text in the place of other text. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly to: string
}

/** A text with edits that do not overlap. */
export const replaceParts = (text: string, edits: readonly Replacement[]): string =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, { start, end, to }) => done.slice(0, start) + to + done.slice(end), text)

/** A longer file of tests is a table of data. */
export const longestText = 200_000
