/** Source files whose findings carry labels, and edits that keep the labels, so that every true pair is known. */

export interface LabelledFinding {
  /** Null for a problem that was not there before. */
  readonly label: number | null
  /** The label of the finding that this one was copied from. The copy takes that label when the original is gone. */
  readonly copyOf?: number | null
  readonly rule: string
  readonly title: string
}

export interface LabelledLine {
  readonly text: string
  readonly finding: LabelledFinding | null
}

export interface LabelledFile {
  readonly path: string
  readonly lines: readonly LabelledLine[]
}

type Random = () => number
const rules = ['eqeqeq', 'no-unused-vars', 'no-eval', 'sql-injection', 'no-empty']
/** The titles of some tools name the code that they found; the titles of others are always the same. */
const titleOf = (rule: string, name: string): string =>
  rule.startsWith('no-')
    ? `The value of ${name} breaks ${rule}`
    : `Expected something better than this (${rule})`
const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T
const plain = (text: string): LabelledLine => ({ text, finding: null })

/** Functions of a few lines; the code of about every fifth finding occurs more than once, as in real projects. */
export function makeFiles(count: number, random: Random): readonly LabelledFile[] {
  let label = 0
  return Array.from({ length: count }, (_, file) => {
    const lines: LabelledLine[] = []
    for (let part = 0; part < 8; part += 1) {
      const name = random() < 0.2 ? `common${part}` : `part${file}x${part}`
      lines.push(plain(`export function ${name}(value) {`), plain(`  const total = read(value, ${part})`))
      const rule = pick(rules, random)
      const copies = random() < 0.2 ? 2 : 1
      for (let copy = 0; copy < copies; copy += 1) {
        label += 1
        const text = `  if (total == ${name}.limit) use(${rule.length})`
        lines.push({ text, finding: { label, rule, title: titleOf(rule, name) } })
        lines.push(plain(copy % 2 === 0 ? '  step(total)' : `  log('${name}')`))
      }
      lines.push(plain('  return total'), plain('}'), plain(''))
    }
    return { path: `src/module-${file}.js`, lines }
  })
}

/** Edits every file in one or several of the ways in which code changes between two runs. */
export const editFiles = (files: readonly LabelledFile[], random: Random): readonly LabelledFile[] =>
  files.map((file) => inherit(editFile(file, random)))

const editFile = (file: LabelledFile, random: Random): LabelledFile => {
  const count = 1 + Math.floor(random() * 3)
  return Array.from({ length: count }).reduce<LabelledFile>(
    (edited) => pick(edits, random)(edited, random),
    file,
  )
}

/** Gives the label of a finding that is gone to its first copy, because that code has moved. */
function inherit(file: LabelledFile): LabelledFile {
  const labels = new Set(file.lines.flatMap(({ finding }) => finding?.label ?? []))
  const lines = file.lines.map((line): LabelledLine => {
    const label = line.finding?.copyOf ?? null
    if (line.finding === null || label === null || labels.has(label)) return line
    labels.add(label)
    return { ...line, finding: { ...line.finding, label } }
  })
  return { ...file, lines }
}

type Edit = (file: LabelledFile, random: Random) => LabelledFile

const edits: readonly Edit[] = [
  insertLines,
  insertLines,
  moveBlock,
  renameFile,
  editNearby,
  editNearby,
  editFlagged,
  duplicateBlock,
  deleteBlock,
  addFinding,
]

const blockStarts = (lines: readonly LabelledLine[]): readonly number[] =>
  lines.flatMap(({ text }, index) => (text.startsWith('export function') ? [index] : []))

function blockAt(lines: readonly LabelledLine[], start: number): readonly [number, number] {
  const end = lines.findIndex(({ text }, index) => index > start && text === '}')
  return [start, end === -1 ? lines.length : end + 2]
}

function insertLines(file: LabelledFile, random: Random): LabelledFile {
  const at = Math.floor(random() * file.lines.length)
  const added = Array.from({ length: 1 + Math.floor(random() * 30) }, (_, index) =>
    plain(
      index % 3 === 0
        ? `// note ${Math.floor(random() * 1e6)}`
        : `const extra${Math.floor(random() * 1e6)} = ${index}`,
    ),
  )
  return { ...file, lines: file.lines.toSpliced(at, 0, ...added) }
}

function moveBlock(file: LabelledFile, random: Random): LabelledFile {
  const [from, to] = blockAt(file.lines, pick(blockStarts(file.lines), random))
  const block = file.lines.slice(from, to)
  const rest = file.lines.toSpliced(from, to - from)
  const target = pick([...blockStarts(rest), rest.length], random)
  return { ...file, lines: rest.toSpliced(target, 0, ...block) }
}

function renameFile(file: LabelledFile, random: Random): LabelledFile {
  return { ...file, path: file.path.replace('src/', `lib/renamed-${Math.floor(random() * 1e6)}-`) }
}

/** Changes the line before or after some of the flagged ones. */
function editNearby(file: LabelledFile, random: Random): LabelledFile {
  const isBefore = random() < 0.5
  const lines = file.lines.map((line, index) => {
    const neighbour = file.lines[index + (isBefore ? 1 : -1)]
    const isNear = line.finding === null && line.text.trim() !== '' && neighbour?.finding
    return isNear && random() < 0.3 ? plain(`${line.text} // ${Math.floor(random() * 1e6)}`) : line
  })
  return { ...file, lines }
}

/** Changes some of the flagged lines themselves, a little; the tool still flags them. */
function editFlagged(file: LabelledFile, random: Random): LabelledFile {
  const lines = file.lines.map((line) =>
    line.finding && random() < 0.15 ? { ...line, text: line.text.replace('use(', 'useAll(') } : line,
  )
  return { ...file, lines }
}

/** Copies a block. The copy is another problem, so its findings have no label. */
function duplicateBlock(file: LabelledFile, random: Random): LabelledFile {
  const [from, to] = blockAt(file.lines, pick(blockStarts(file.lines), random))
  const copy = file.lines
    .slice(from, to)
    .map((line): LabelledLine => ({ ...line, finding: line.finding && copyOf(line.finding) }))
  return { ...file, lines: [...file.lines, plain(''), ...copy] }
}

const copyOf = (finding: LabelledFinding): LabelledFinding => ({
  ...finding,
  label: null,
  copyOf: finding.label ?? finding.copyOf ?? null,
})

function deleteBlock(file: LabelledFile, random: Random): LabelledFile {
  const [from, to] = blockAt(file.lines, pick(blockStarts(file.lines), random))
  return { ...file, lines: file.lines.toSpliced(from, to - from) }
}

/** A new problem in new code, of a rule that is there already. */
function addFinding(file: LabelledFile, random: Random): LabelledFile {
  const at = pick(blockStarts(file.lines), random) + 1
  const rule = pick(rules, random)
  const text = `  check(${Math.floor(random() * 1e6)} == value)`
  const added: LabelledLine = { text, finding: { label: null, rule, title: titleOf(rule, 'value') } }
  return { ...file, lines: file.lines.toSpliced(at, 0, added) }
}
