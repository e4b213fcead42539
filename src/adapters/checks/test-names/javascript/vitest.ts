import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'
import { sumWordCounts } from '../reading/word-counts.ts'

const RESULT = /^( +)([✓×✗↓□❯]) +(.+)$/
const FILE = /^(.+) \(\d+ tests?(?: \|[^()]*)?\)/
const FAILURE = /^ FAIL +(.+)$/
const SUMMARY = /^ *Tests {2}(.+) \(\d+\)$/
const STATUSES: Readonly<Record<string, TestStatus>> = {
  '✓': 'passed',
  '×': 'failed',
  '✗': 'failed',
  '↓': 'skipped',
  '□': 'todo',
}

interface TreeLine {
  readonly depth: number
  readonly name: string
}

/** Vitest: all names with the verbose or tree reporter, else the failed ones from the details below. */
export const vitestReader: OutputReader = {
  name: 'vitest',
  namesEveryTest: 'verbose',
  read(lines, { isCut }) {
    const reports = lines.filter((line) => /^ *Test Files {2}/.test(line)).length
    const isVitest = reports > 0 || (isCut && lines.some((line) => /^ RUN {2}v\d/.test(line)))
    if (!isVitest) return null
    const count = sumWordCounts(lines.flatMap((line) => SUMMARY.exec(line)?.[1] ?? []))
    const listed = readListed(lines)
    const tests = [...listed, ...readFailures(lines, listed)]
    const failuresNamed = countTests(tests, 'failed') === count('failed')
    const ran = count('passed') + count('failed')
    const total = ran + count('skipped') + count('todo')
    const complete = failuresNamed && countTests(tests) === total
    return {
      tests,
      complete,
      failuresNamed,
      ran,
      contradicted: countTests(tests) > total,
      reports,
    }
  },
}

/** Lines ` ✓ file > suite > test 2ms` (verbose), or a file with its suites and tests indented below it (tree). */
function readListed(lines: readonly string[]): ParsedTest[] {
  const tests: ParsedTest[] = []
  let parents: readonly TreeLine[] = []
  lines.forEach((line, index) => {
    const [, indent = '', glyph = '', text = ''] = RESULT.exec(line) ?? []
    const status = STATUSES[glyph]
    const name = withoutTimes(text)
    const depth = indent.length
    const file = FILE.exec(text)?.[1]
    if (depth === 1 && file !== undefined) parents = [{ depth, name: file }]
    else if (depth === 1 && status !== undefined && name.includes(' > ')) {
      parents = []
      tests.push({ path: [name], status, kind: 'test' })
    } else if (depth > 1 && parents.length > 0 && glyph !== '') {
      parents = parents.filter((parent) => parent.depth < depth)
      const nextDepth = RESULT.exec(lines[index + 1] ?? '')?.[1]?.length ?? 0
      if (nextDepth > depth) parents = [...parents, { depth, name: name.replace(/ \(\d+\)$/, '') }]
      else if (status !== undefined) {
        tests.push({ path: [...parents.map((parent) => parent.name), name], status, kind: 'test' })
      }
    }
  })
  return tests
}

/** The details name each failure again; a suite or file that failed by itself stands only there. */
function readFailures(lines: readonly string[], listed: readonly ParsedTest[]): ParsedTest[] {
  const known = new Set(
    listed.filter((test) => test.status === 'failed').map((test) => test.path.join(' > ')),
  )
  const failures: ParsedTest[] = []
  let kind: ParsedTest['kind'] = 'test'
  for (const line of lines) {
    if (line.includes(' Failed Suites ')) kind = 'suite'
    if (line.includes(' Failed Tests ')) kind = 'test'
    const text = FAILURE.exec(line)?.[1]
    // A file is named twice: `file [ file ]`.
    const name = text?.endsWith(' ]') ? text.slice(0, text.lastIndexOf(' [ ')) : text
    if (name === undefined || known.has(name)) continue
    known.add(name)
    failures.push({ path: [name], status: 'failed', kind })
  }
  return failures
}

function withoutTimes(text: string): string {
  return text.replace(/ \d+ms$/, '').replace(/ \((?:retry|repeat) x\d+\)$/, '')
}
