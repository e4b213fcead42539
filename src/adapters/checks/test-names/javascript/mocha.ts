import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

const PASSING = /^ {2}(\d+) passing \(/
const OTHER = /^ {2}(\d+) (pending|failing)$/
const RESULT = /^( +)(?:([✔✓√]) (.+?)(?: \(\d+m?s\))?|(\d+)\) (.+)|- (.+))$/
const DETAIL = /^ {2}\d+\) (.+)$/
const HOOK = /^"(?:before|after)(?: all| each)?" hook\b/

/** Mocha: all names with the spec reporter; with dot and min the failed ones from the details below. */
export const mochaReader: OutputReader = {
  name: 'mocha',
  namesEveryTest: 'verbose',
  read(lines) {
    const end = lines.findIndex((line) => PASSING.test(line))
    if (end === -1) return null
    const count = (word: string): number =>
      lines.reduce((sum, line) => {
        const [, found, name] = OTHER.exec(line) ?? []
        return name === word ? sum + Number(found) : sum
      }, 0)
    const passing = lines.reduce((sum, line) => sum + Number(PASSING.exec(line)?.[1] ?? 0), 0)
    const listed = readListed(lines.slice(0, end))
    const details = readDetails(lines.slice(end))
    // Only the spec reporter lists its failures; what a test prints may look like a result under the others.
    const tests = countFailed(listed) === count('failing') ? listed : details
    const failuresNamed = countFailed(tests) === count('failing')
    const total = passing + count('pending') + countTests(tests, 'failed')
    return {
      tests,
      complete: failuresNamed && countTests(tests) === total,
      failuresNamed,
      ran: passing + count('failing'),
      contradicted: countTests(tests) > total,
      reports: lines.filter((line) => PASSING.test(line)).length,
    }
  },
}

const countFailed = (tests: readonly ParsedTest[]): number =>
  tests.filter(({ status }) => status === 'failed').length

/** Suites by their indentation, results below them. */
function readListed(lines: readonly string[]): ParsedTest[] {
  const tests: ParsedTest[] = []
  let titles: readonly string[] = []
  for (const line of lines) {
    const depth = (line.length - line.trimStart().length) / 2 - 1
    if (line.trim() === '' || depth < 0 || !Number.isInteger(depth)) continue
    const [, , tick, passed, number, failed, pending] = RESULT.exec(line) ?? []
    const name = passed ?? failed ?? pending
    const suites = titles.slice(0, depth)
    if (name === undefined) titles = [...suites, line.trim()]
    else {
      const status: TestStatus = tick ? 'passed' : number ? 'failed' : 'skipped'
      tests.push({ path: [...suites, name], status, kind: HOOK.test(name) ? 'suite' : 'test' })
    }
  }
  return tests
}

/** `1) suite`, its suites below it, and the test with a colon behind it. */
function readDetails(lines: readonly string[]): ParsedTest[] {
  const tests: ParsedTest[] = []
  lines.forEach((line, index) => {
    const first = DETAIL.exec(line)?.[1]
    if (first === undefined) return
    const below = lines.slice(index + 1, index + 20)
    const path = [first]
    for (const next of below) {
      if (path.at(-1)?.endsWith(':')) break
      if (next.trim() === '') break
      path.push(next.trim())
    }
    const last = path.at(-1) ?? ''
    if (!last.endsWith(':')) return
    const name = last.slice(0, -1)
    tests.push({
      path: [...path.slice(0, -1), name],
      status: 'failed',
      kind: HOOK.test(name) ? 'suite' : 'test',
    })
  })
  return tests
}
