import { structuredPatch } from 'diff'
import type { Edit } from './rule.ts'

/** The changes from one text to another, as edits of whole lines cut down to what differs in them. */
export function editsBetween(before: string, after: string): readonly Edit[] {
  const starts = [0]
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) starts.push(at + 1)
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 0 })
  return hunks.flatMap(({ oldStart, oldLines, lines }) => {
    const first = oldLines === 0 ? oldStart : oldStart - 1
    const startOf = (line: number): number => starts[first + line] ?? before.length
    const isLast = lines.some((line) => line.startsWith('\\'))
    const added = lines
      .filter((line) => line.startsWith('+'))
      .map((line, index, { length }) => line.slice(1) + (isLast && index === length - 1 ? '' : '\n'))
    // Lines beside each other may be of two findings, so a line that became one line is an edit of its own.
    const edits =
      added.length === oldLines
        ? added.map((text, line) => ({ start: startOf(line), end: startOf(line + 1), text }))
        : [{ start: startOf(0), end: startOf(oldLines), text: added.join('') }]
    return edits.map((edit) => shrink(before, edit))
  })
}

/** Without what both sides begin and end with. */
function shrink(source: string, { start, end, text }: Edit): Edit {
  let [from, to, head, tail] = [start, end, 0, text.length]
  while (from < to && head < tail && source[from] === text[head]) [from, head] = [from + 1, head + 1]
  while (to > from && tail > head && source[to - 1] === text[tail - 1]) [to, tail] = [to - 1, tail - 1]
  return { start: from, end: to, text: text.slice(head, tail) }
}
