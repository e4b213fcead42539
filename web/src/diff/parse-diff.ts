import { parsePatch } from 'diff'

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'note'
  readonly text: string
  readonly before: number | null
  readonly after: number | null
}

export interface DiffHunk {
  readonly head: string
  readonly lines: readonly DiffLine[]
}

export interface DiffFile {
  readonly path: string
  /** The old path, when the file was renamed. */
  readonly from: string | null
  readonly change: 'added' | 'deleted' | 'renamed' | 'changed'
  readonly isBinary: boolean
  readonly added: number
  readonly removed: number
  readonly hunks: readonly DiffHunk[]
}

/** Reads the output of `git diff`, file by file. Lines that it does not know are left out of the hunks, never of the text. */
export const parseDiff = (text: string): readonly DiffFile[] =>
  text
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map(parseFile)

/** Lets `parsePatch` read the head only: a redacted secret may leave fewer lines than a hunk counts, and `parsePatch` refuses that. */
function parseFile(part: string): DiffFile {
  const lines = part.replace(/\n$/, '').split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@'))
  const headLines = first === -1 ? lines : lines.slice(0, first)
  const hunks = first === -1 ? [] : parseHunks(lines.slice(first))
  const [head] = parsePatch(headLines.join('\n'))
  const [before, after] = [pathOf(head?.oldFileName), pathOf(head?.newFileName)]
  const count = (kind: DiffLine['kind']): number =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.kind === kind).length, 0)
  return {
    path: after ?? before ?? headLines[0] ?? '',
    from: head?.isRename ? before : null,
    change: head?.isCreate ? 'added' : head?.isDelete ? 'deleted' : head?.isRename ? 'renamed' : 'changed',
    isBinary: head?.isBinary === true || headLines.includes('GIT binary patch'),
    added: count('added'),
    removed: count('removed'),
    hunks,
  }
}

const pathOf = (name: string | undefined): string | null =>
  name === undefined || name === '/dev/null' ? null : name.replace(/^[ab]\//, '')

function parseHunks(lines: readonly string[]): readonly DiffHunk[] {
  const hunks: { head: string; lines: DiffLine[] }[] = []
  let [before, after] = [0, 0]
  for (const line of lines) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (head) {
      ;[before, after] = [Number(head[1]), Number(head[2])]
      hunks.push({ head: line, lines: [] })
      continue
    }
    const into = hunks.at(-1)?.lines
    const text = line.slice(1)
    if (line.startsWith('+')) into?.push({ kind: 'added', text, before: null, after: after++ })
    else if (line.startsWith('-')) into?.push({ kind: 'removed', text, before: before++, after: null })
    else if (line.startsWith('\\')) into?.push({ kind: 'note', text, before: null, after: null })
    else into?.push({ kind: 'same', text, before: before++, after: after++ })
  }
  return hunks
}
