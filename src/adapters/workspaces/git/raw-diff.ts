import { splitNul } from './names.ts'

/** One line of `--raw -z`. */
export interface RawChange {
  readonly oldMode: string
  readonly mode: string
  readonly oldOid: string
  readonly oid: string
  /** A letter: A D M T R C. */
  readonly status: string
  readonly oldPath: Buffer | null
  readonly path: Buffer
}

export interface LineCounts {
  readonly isBinary: boolean
  readonly additions: number
  readonly deletions: number
}

export const GITLINK = '160000'
export const SYMLINK = '120000'

export const parseRawDiff = (output: Buffer): RawChange[] => readChanges(splitNul(output)).changes

/** `--raw --numstat -z`: the changes, then the line counts of each, in the same order. */
export function parseCountedDiff(output: Buffer): { change: RawChange; counts: LineCounts }[] {
  const fields = splitNul(output)
  const { changes, end } = readChanges(fields)
  const counts = readCounts(fields.slice(end))
  return changes.map((change, at) => ({ change, counts: counts[at] ?? uncounted }))
}

const uncounted: LineCounts = { isBinary: false, additions: 0, deletions: 0 }
const COLON = 0x3a

/** Each change begins with a colon, which no line count does. */
function readChanges(fields: readonly Buffer[]): { changes: RawChange[]; end: number } {
  const changes: RawChange[] = []
  let at = 0
  while (fields[at]?.[0] === COLON) {
    const [oldMode = '', mode = '', oldOid = '', oid = '', letter = ''] = fieldAt(fields, at++)
      .toString('latin1')
      .slice(1)
      .split(' ')
    const status = letter.slice(0, 1)
    const first = fieldAt(fields, at++)
    const hasTwo = status === 'R' || status === 'C'
    changes.push({
      oldMode,
      mode,
      oldOid,
      oid,
      status,
      oldPath: hasTwo ? first : null,
      path: hasTwo ? fieldAt(fields, at++) : first,
    })
  }
  return { changes, end: at }
}

function readCounts(fields: readonly Buffer[]): LineCounts[] {
  const counts: LineCounts[] = []
  for (let at = 0; at < fields.length;) {
    const field = fieldAt(fields, at++).toString('latin1')
    const [additions = '', deletions = ''] = field.split('\t', 2)
    const isRename = field.length === additions.length + deletions.length + 2
    if (isRename) at += 2 // both names follow as fields of their own
    counts.push({
      isBinary: additions === '-',
      additions: additions === '-' ? 0 : Number(additions),
      deletions: deletions === '-' ? 0 : Number(deletions),
    })
  }
  return counts
}

const fieldAt = (fields: readonly Buffer[], at: number): Buffer => fields[at] ?? Buffer.alloc(0)
