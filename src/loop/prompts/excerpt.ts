import type { Issue } from '../../model/issue/issue.ts'

const usualAround = 20
const maxLines = 160
const maxLineLength = 400

/** The lines that an excerpt is about, and which of them bear a mark: all, unless some are named. */
interface Flagged extends Pick<Issue, 'line' | 'end_line'> {
  readonly marked?: ReadonlySet<number>
}

/** The code around the flagged lines, numbered, the flagged ones marked; never the whole of a large file. */
export function numberedExcerpt(
  text: string,
  { line, end_line, marked }: Flagged,
  around = usualAround,
): string {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const first = line ?? 1
  const last = Math.min(end_line ?? first, lines.length)
  const start = Math.max(1, Math.min(first, lines.length) - around)
  const end = Math.min(lines.length, Math.max(last, first) + around, start + maxLines - 1)
  const width = String(end).length
  return lines
    .slice(start - 1, end)
    .map((content, index) => {
      const number = start + index
      const isFlagged = line !== null && number >= first && number <= last
      const mark = isFlagged && (marked?.has(number) ?? true) ? '>' : ' '
      return `${mark} ${String(number).padStart(width)} | ${content.slice(0, maxLineLength)}`
    })
    .join('\n')
}

export interface ChangedLines {
  readonly first: number
  readonly last: number
  /** Those between that the earlier text does not have. */
  readonly marked: ReadonlySet<number>
}

/** From the first to the last line of the later text that the earlier one does not have; null when they are the same. */
export function changedLines(before: string, after: string): ChangedLines | null {
  if (before === after) return null
  const was = before.split(/\r?\n/)
  const is = after.split(/\r?\n/)
  const shorter = Math.min(was.length, is.length)
  let same = 0
  while (same < shorter && was[same] === is[same]) same += 1
  let end = 0
  while (end < shorter - same && was.at(-1 - end) === is.at(-1 - end)) end += 1
  // Where lines were only taken away, the line that now stands there is shown.
  const last = Math.max(same + 1, is.length - end)
  const added = linesAdded(was.slice(same, was.length - end), is.slice(same, last))
  return { first: same + 1, last, marked: new Set(added.map((index) => same + 1 + index)) }
}

/** Beyond so many pairs of lines, all of them count as added. */
const mostPairs = 1_000_000

/** Where the later lines stand that are not in the longest sequence which both have in common. */
function linesAdded(was: readonly string[], is: readonly string[]): readonly number[] {
  if (was.length === 0 || was.length * is.length > mostPairs) return is.map((_, index) => index)
  // How many lines are common from here to the end, for each pair of places.
  const width = is.length + 1
  const common = new Uint32Array((was.length + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let row = was.length - 1; row >= 0; row -= 1)
    for (let column = is.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        was[row] === is[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
  const added: number[] = []
  for (let row = 0, column = 0; column < is.length;) {
    if (row < was.length && was[row] === is[column]) {
      row += 1
      column += 1
    } else if (row < was.length && at(row + 1, column) >= at(row, column + 1)) row += 1
    else {
      added.push(column)
      column += 1
    }
  }
  return added
}
