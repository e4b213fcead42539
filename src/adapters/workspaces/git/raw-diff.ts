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

export function parseRawDiff(output: Buffer): RawChange[] {
  const fields = splitNul(output)
  const changes: RawChange[] = []
  for (let at = 0; at + 1 < fields.length;) {
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
  return changes
}

/** `--numstat -z`, in the order of the same diff's `--raw`. */
export function parseNumstat(output: Buffer): LineCounts[] {
  const fields = splitNul(output)
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
