import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'
import { sumWordCounts } from '../reading/word-counts.ts'

const HEADER = /^ ?(?:PASS|FAIL) {1,2}(\S.*?)(?: \(\d[\d.]* m?s[^()]*\))?$/
const RESULT = /^( +)([✓√✕×○✎]) (?:(?:skipped|todo) )?(.*?)(?: \(\d[\d.]* m?s\))?$/
const BULLET = /^ {2}● (.+)$/
const SUMMARY = /^Tests: +((?:\d+ [a-z]+, )*\d+ total)$/
const STATUSES: Readonly<Record<string, TestStatus>> = {
  '✓': 'passed',
  '√': 'passed',
  '✕': 'failed',
  '×': 'failed',
  '○': 'skipped',
  '✎': 'todo',
}

/** Jest: all names with `--verbose` or a single file, else the failed ones from the details below. */
export const jestReader: OutputReader = {
  name: 'jest',
  namesEveryTest: 'verbose',
  read(lines, { isCut }) {
    const summaries = lines.flatMap((line) => SUMMARY.exec(line)?.[1] ?? [])
    if (summaries.length === 0 && !isCut) return null
    const count = sumWordCounts(summaries)
    const tests = readTests(lines)
    if (isCut && tests.length === 0) return null
    const failuresNamed = countTests(tests, 'failed') === count('failed')
    return {
      tests,
      complete: failuresNamed && countTests(tests) === count('total'),
      failuresNamed,
      ran: count('passed') + count('failed'),
      contradicted: countTests(tests) > count('total'),
      reports: summaries.length,
    }
  },
}

function readTests(lines: readonly string[]): ParsedTest[] {
  const tests: ParsedTest[] = []
  const failedNames = new Set<string>()
  let file: string | null = null
  let isListing = false
  let titles: string[] = []

  function add(path: readonly string[], status: TestStatus, kind: ParsedTest['kind'] = 'test'): void {
    tests.push({ path, status, kind })
    if (status === 'failed') failedNames.add(path.join(' > '))
  }

  for (const line of lines) {
    const header = HEADER.exec(line)?.[1]
    const result = RESULT.exec(line)
    const bullet = BULLET.exec(line)?.[1]
    if (header !== undefined) {
      file = header
      isListing = true
      titles = []
    } else if (file === null) continue
    else if (bullet !== undefined) {
      isListing = false
      const path = [file, ...bullet.split(' › ')]
      if (bullet === 'Console' || failedNames.has(path.join(' > '))) continue
      if (bullet !== 'Test suite failed to run') add(path, 'failed')
      else if (!failedNames.has(file)) add([file], 'failed', 'suite')
    } else if (line.trim() === '') isListing = false
    else if (isListing && result !== null) {
      const [, indent = '', glyph = '', name = ''] = result
      add([file, ...titles.slice(0, indent.length / 2 - 1), name], STATUSES[glyph] ?? 'failed')
    } else if (isListing) {
      const depth = (line.length - line.trimStart().length) / 2 - 1
      titles = [...titles.slice(0, Math.max(0, depth)), line.trim()]
    }
  }
  return tests
}
