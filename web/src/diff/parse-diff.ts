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
  /** Set when it was renamed. */
  readonly from: string | null
  readonly change: 'added' | 'deleted' | 'renamed' | 'changed'
  readonly isBinary: boolean
  readonly added: number
  readonly removed: number
  readonly hunks: readonly DiffHunk[]
}

/** Reads what `git diff` prints, file by file. What it does not know is left out of the hunks, never of the text. */
export const parseDiff = (text: string): readonly DiffFile[] =>
  text
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map(parseFile)

function parseFile(part: string): DiffFile {
  const lines = part.replace(/\n$/, '').split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@'))
  const head = first === -1 ? lines : lines.slice(0, first)
  const hunks = first === -1 ? [] : parseHunks(lines.slice(first))
  const named = (prefix: string): string | undefined =>
    head.find((line) => line.startsWith(prefix))?.slice(prefix.length)
  const before = unquote(named('--- ') ?? named('rename from ') ?? '')
  const after = unquote(named('+++ ') ?? named('rename to ') ?? '')
  const path = after === '' || after === '/dev/null' ? before : after
  const count = (kind: DiffLine['kind']): number =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.kind === kind).length, 0)
  return {
    path: path === '' ? pathOfHead(head[0] ?? '') : path,
    from: named('rename from ') ?? null,
    change: changeOf(head),
    isBinary: head.some((line) => /^(Binary files|GIT binary patch)/.test(line)),
    added: count('added'),
    removed: count('removed'),
    hunks,
  }
}

/** `"a/\303\244.txt"` and `a/x.txt` → the path; git writes quoted paths as bytes in octal. */
function unquote(name: string): string {
  const quoted = /^"(.*)"\s*$/.exec(name)?.[1]
  const plain = quoted === undefined ? name.replace(/\t.*$/, '') : decodeOctal(quoted)
  return plain.replace(/^[ab]\//, '')
}

function decodeOctal(text: string): string {
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [part, octal, escaped] of text.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else bytes.push(...encoder.encode(escaped ?? part))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

const pathOfHead = (line: string): string => / b\/(.*)$/.exec(line)?.[1] ?? line

function changeOf(head: readonly string[]): DiffFile['change'] {
  if (head.some((line) => line.startsWith('new file'))) return 'added'
  if (head.some((line) => line.startsWith('deleted file'))) return 'deleted'
  return head.some((line) => line.startsWith('rename to')) ? 'renamed' : 'changed'
}

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
