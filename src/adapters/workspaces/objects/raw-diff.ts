import { bytesOfName, splitNul } from './names.ts'

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

export const parseRawDiff = (output: Buffer): RawChange[] => readChanges(splitNul(output))

/** `--raw --numstat`, with or without `-p`: the changes, their line counts in the same order, and then the text. */
export function parseCountedDiff(output: Buffer): {
  readonly changes: readonly { change: RawChange; counts: LineCounts }[]
  readonly text: Buffer
} {
  const lines = createLines(output)
  const raw: RawChange[] = []
  while (lines.startsWith(COLON)) raw.push(readQuotedChange(lines.next()))
  const changes = raw.map((change) => ({ change, counts: readCounts(lines.next()) }))
  if (lines.startsWith(LINE_END)) lines.next()
  return { changes, text: lines.rest() }
}

const COLON = 0x3a
const LINE_END = 0x0a

function readChanges(fields: readonly Buffer[]): RawChange[] {
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
  return changes
}

/** Without `-z` names that need it are quoted, so that a tab or a line end is always git's own. */
function readQuotedChange(line: string): RawChange {
  const [head = '', first = '', second] = line.split('\t')
  const [oldMode = '', mode = '', oldOid = '', oid = '', letter = ''] = head.slice(1).split(' ')
  return {
    oldMode,
    mode,
    oldOid,
    oid,
    status: letter.slice(0, 1),
    oldPath: second === undefined ? null : bytesOfName(first),
    path: bytesOfName(second ?? first),
  }
}

function readCounts(line: string): LineCounts {
  const [additions = '', deletions = ''] = line.split('\t', 2)
  const isBinary = additions === '-'
  return {
    isBinary,
    additions: isBinary ? 0 : Number(additions),
    deletions: isBinary ? 0 : Number(deletions),
  }
}

function createLines(output: Buffer) {
  let at = 0
  return {
    startsWith: (byte: number): boolean => output[at] === byte,
    next(): string {
      const found = output.indexOf(LINE_END, at)
      const end = found === -1 ? output.length : found
      const line = output.toString('latin1', at, end)
      at = Math.min(end + 1, output.length)
      return line
    },
    rest: (): Buffer => output.subarray(at),
  }
}

const fieldAt = (fields: readonly Buffer[], at: number): Buffer => fields[at] ?? Buffer.alloc(0)
