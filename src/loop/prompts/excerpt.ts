import type { Issue } from '../../model/issue/issue.ts'

const usualAround = 20
const maxLines = 160
const maxLineLength = 400

/** The code around the flagged lines, numbered, the flagged ones marked; never the whole of a large file. */
export function numberedExcerpt(
  text: string,
  { line, end_line }: Pick<Issue, 'line' | 'end_line'>,
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
      const mark = line !== null && number >= first && number <= last ? '>' : ' '
      return `${mark} ${String(number).padStart(width)} | ${content.slice(0, maxLineLength)}`
    })
    .join('\n')
}

/** From the first to the last line of the later text that the earlier one does not have; null when they are the same. */
export function changedLines(
  before: string,
  after: string,
): { readonly first: number; readonly last: number } | null {
  if (before === after) return null
  const was = before.split(/\r?\n/)
  const is = after.split(/\r?\n/)
  const shorter = Math.min(was.length, is.length)
  let same = 0
  while (same < shorter && was[same] === is[same]) same += 1
  let end = 0
  while (end < shorter - same && was.at(-1 - end) === is.at(-1 - end)) end += 1
  // Where lines were only taken away, the line that now stands there is shown.
  return { first: same + 1, last: Math.max(same + 1, is.length - end) }
}
