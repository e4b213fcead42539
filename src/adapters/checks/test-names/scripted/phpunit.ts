import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

const GREEN = /^OK \((\d+) tests?, \d+ assertions?\)$/
const COUNTS = /^Tests: (\d+), Assertions: \d+(.*)\.$/
const SECTION = /^There (?:was|were) \d+ (.+?):$/
const DETAIL = /^\d+\) (\S+::.+)$/
const TESTDOX = /^ ([✔✘↩∅☢⚠]) (.+)$/
const STATUSES: Readonly<Record<string, TestStatus>> = {
  '✔': 'passed',
  '✘': 'failed',
  '↩': 'skipped',
  '∅': 'skipped',
  '☢': 'passed',
  '⚠': 'passed',
}

/** PHPUnit: all names with `--testdox`, else the failed ones from the details. */
export const phpunitReader: OutputReader = {
  name: 'phpunit',
  namesEveryTest: 'verbose',
  read(lines) {
    const greens = lines.flatMap((line) => GREEN.exec(line)?.[1] ?? [])
    const counted = lines.flatMap((line) => COUNTS.exec(line)?.slice(1, 3).join(', Tests: ') ?? [])
    if (greens.length + counted.length === 0) return null
    const others = counted.join(', ')
    const count = (word: string): number =>
      [...others.matchAll(new RegExp(`\\b${word}: (\\d+)`, 'g'))].reduce((sum, [, n]) => sum + Number(n), 0)
    const total = [...greens, ...lines.flatMap((line) => COUNTS.exec(line)?.[1] ?? [])].reduce(
      (sum, number) => sum + Number(number),
      0,
    )
    const listed = readTestdox(lines)
    const isListed = listed.length === total
    const tests = isListed ? listed : readDetails(lines)
    const failuresNamed = countTests(tests, 'failed') === count('Errors') + count('Failures')
    return {
      tests,
      complete: failuresNamed && isListed,
      failuresNamed,
      ran: total - count('Skipped') - count('Incomplete'),
      contradicted: false,
      reports: greens.length + counted.length,
    }
  },
}

/** ` ✔ Adds` below the name of its class. */
function readTestdox(lines: readonly string[]): ParsedTest[] {
  const tests: ParsedTest[] = []
  let group = ''
  for (const line of lines) {
    // The details below repeat each failure.
    if (line === 'Summary of non-successful tests:') break
    const [, glyph = '', name] = TESTDOX.exec(line) ?? []
    const status = STATUSES[glyph]
    if (name !== undefined && status) tests.push({ path: [group, name], status, kind: 'test' })
    else if (/^\S/.test(line)) group = line.replace(/ \(.*\)$/, '')
  }
  return tests
}

/** What stands below "There were 2 failures:"; risky and skipped tests are listed in sections of their own. */
function readDetails(lines: readonly string[]): ParsedTest[] {
  const tests: ParsedTest[] = []
  let section = ''
  for (const line of lines) {
    section = SECTION.exec(line)?.[1] ?? section
    const name = DETAIL.exec(line)?.[1]?.replace(/(with data set (?:#\d+|"[^"]*")).*$/, '$1')
    if (name === undefined || !/^(?:error|failure)s?$/.test(section)) continue
    tests.push({ path: name.split('::'), status: 'failed', kind: 'test' })
  }
  return tests
}
