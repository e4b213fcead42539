import type { Edit, Node } from './rule.ts'
import type { TreeNode } from './tree.ts'
import { structuredPatch } from 'diff'

/** Applies edits of one file; edits that overlap or lie outside of it are refused. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  let position = 0
  for (const { start, end, text } of ordered) {
    if (start < position || end < start || end > source.length) {
      throw new RangeError(`Edit ${start}-${end} overlaps another edit or lies outside of the file.`)
    }
    result += source.slice(position, start) + text
    position = end
  }
  return result + source.slice(position)
}

/** Replaces a whole node. */
export const replaceNode = ({ start, end }: TreeNode, text: string): Edit => ({ start, end, text })

export function insertAt(offset: number, text: string): Edit {
  return { start: offset, end: offset, text }
}

/** The white space that the line of this offset begins with. */
function indentAt(source: string, offset: number): string {
  const lineStart = source.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(source.slice(lineStart, offset))?.[0] ?? ''
}

const newlineOf = (source: string): string => (source.includes('\r\n') ? '\r\n' : '\n')

/** Fills `$NAME` and `$$$NAME` from a match; an unmatched variable becomes empty, as ast-grep has it. */
export function expandTemplate(template: string, node: Node, source: string): string {
  const indented = template.replaceAll(/\r?\n/g, newlineOf(source) + indentAt(source, startOf(node)))
  return indented.replaceAll(/\$\$\$([A-Z_][A-Z0-9_]*)|\$([A-Z_][A-Z0-9_]*)/g, (_, multi, single) =>
    multi === undefined
      ? (node.getMatch(String(single))?.text() ?? '')
      : joined(node.getMultipleMatches(String(multi)), source),
  )
}

/** The source from the first to the last node, separators and comments included. */
function joined(nodes: readonly Node[], source: string): string {
  const [first] = nodes
  const last = nodes.at(-1)
  return first && last ? source.slice(startOf(first), endOf(last)) : ''
}

const startOf = (node: Node): number => node.range().start.index
const endOf = (node: Node): number => node.range().end.index

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

/** The edit without the text that both sides begin and end with. */
function shrink(source: string, { start, end, text }: Edit): Edit {
  let [from, to, head, tail] = [start, end, 0, text.length]
  while (from < to && head < tail && source[from] === text[head]) [from, head] = [from + 1, head + 1]
  while (to > from && tail > head && source[to - 1] === text[tail - 1]) [to, tail] = [to - 1, tail - 1]
  return { start: from, end: to, text: text.slice(head, tail) }
}
