import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

const RAN = /^Ran (\d+) tests? in [\d.]+s$/
const ENDED = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/
const STARTED = /^(\w+) \(([\w.<>]+)\)(?: \(.*\))?$/
const VERDICT = / \.\.\. (ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/
const ALONE = /^(?: {2}.* \.\.\. )?(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/
const SET_UP = /^(?:setUp|tearDown)(?:Class|Module)\b/
const FAILURE = /^(?:FAIL|ERROR): (.+)$/

/** Python's unittest: all names with `-v`, else the failed ones from the details below. */
export const unittestReader: OutputReader = {
  name: 'unittest',
  namesEveryTest: 'verbose',
  read(lines) {
    const runs = lines.flatMap((line) => RAN.exec(line)?.[1] ?? []).map(Number)
    if (runs.length === 0) return null
    const counts = readCounts(lines)
    const total = runs.reduce((sum, count) => sum + count, 0)
    const listed = readListed(lines)
    const failures = readFailures(lines)
    const known = new Set(listed.map(({ path }) => path.join('\0')))
    const tests = [...listed, ...failures.tests.filter(({ path }) => !known.has(path.join('\0')))]
    const failuresNamed = failures.count === counts('failures') + counts('errors')
    return {
      tests,
      complete: failuresNamed && countTests(listed) === total,
      failuresNamed,
      ran: total - counts('skipped'),
      contradicted: countTests(listed) > total,
      reports: runs.length,
    }
  },
}

/** What stands behind the final word, such as `failures=1, skipped=2`; several runs add up. */
function readCounts(lines: readonly string[]): (word: string) => number {
  const pairs = lines
    .flatMap((line) => ENDED.exec(line)?.[1]?.split(', ') ?? [])
    .map((part) => part.split('='))
  return (word) => pairs.reduce((sum, [name, count]) => (name === word ? sum + (Number(count) || 0) : sum), 0)
}

/**
 * `test_it (module.Class.test_it) ... ok`; a docstring stands between the two on a line of its own, and what the test
 * printed or its failed subtests stand before the verdict.
 */
function readListed(lines: readonly string[]): ParsedTest[] {
  const tests: ParsedTest[] = []
  let started: readonly string[] | null = null
  let isInside = false
  const end = lines.findIndex((line) => /^[=-]{20,}$/.test(line))
  for (const line of end < 0 ? lines : lines.slice(0, end)) {
    const verdict = VERDICT.exec(line) ?? (isInside ? ALONE.exec(line) : null)
    const head = verdict ? line.slice(0, verdict.index) : line.replace(/ \.\.\. .*$| \.\.\.$/, '')
    const path = pathOf(head)
    const isSubtest = line.startsWith('  ') && isInside
    started = path ?? started
    isInside = (isInside || line.includes(' ... ')) && started !== null
    if (!verdict || !started) continue
    if (isSubtest && tests.at(-1)?.path.join() === started.join()) continue
    const isSuite = SET_UP.test(started.at(-1) ?? '')
    tests.push({ path: started, status: statusOf(verdict[1] ?? ''), kind: isSuite ? 'suite' : 'test' })
    isInside = isSubtest
    if (!isSubtest) started = null
  }
  return tests
}

function readFailures(lines: readonly string[]): {
  readonly count: number
  readonly tests: readonly ParsedTest[]
} {
  const names = lines.flatMap((line, index) =>
    /^={20,}$/.test(lines[index - 1] ?? '') ? (FAILURE.exec(line)?.[1] ?? []) : [],
  )
  const tests = new Map<string, ParsedTest>()
  for (const name of names) {
    const path = pathOf(name) ?? [name]
    // A module or class that could not be loaded or set up is no test.
    const isSuite = /^(?:setUp|tearDown)(?:Class|Module)\b|_FailedTest|_ErrorHolder/.test(name)
    tests.set(path.join('\0'), { path, status: 'failed', kind: isSuite ? 'suite' : 'test' })
  }
  return { count: names.length, tests: [...tests.values()] }
}

/** The class and the test; since Python 3.11 the test stands behind its class once more. */
function pathOf(text: string): readonly string[] | null {
  const [, name, place] = STARTED.exec(text) ?? []
  if (name === undefined || place === undefined) return null
  return [place.endsWith(`.${name}`) ? place.slice(0, -name.length - 1) : place, name]
}

function statusOf(verdict: string): TestStatus {
  if (verdict.startsWith('skipped')) return 'skipped'
  if (verdict === 'expected failure') return 'todo'
  return verdict === 'ok' ? 'passed' : 'failed'
}
