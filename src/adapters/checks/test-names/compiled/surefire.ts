import { countTests, type OutputReader, type ParsedTest } from '../reading/test-run.ts'

const COUNTS =
  /^(?:\[\w+\] +)?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(, Time elapsed: .*)?$/
const FAILURE = /^(?:\[ERROR\] +)?(\S.*?) {1,2}(?:-- )?Time elapsed: [\d.,]+ s(?:ec)? +<<< (?:FAILURE|ERROR)!/
const IN_CLASS = /^(\w+(?:\[.*\])?)\(([\w.$]+)\)$/

/** Maven's Surefire and Failsafe: counts per class and for all, and the failed tests. */
export const surefireReader: OutputReader = {
  name: 'surefire',
  namesEveryTest: 'verbose',
  read(lines) {
    const found = lines.flatMap((line) => {
      const match = COUNTS.exec(line)
      return match ? [{ numbers: match.slice(1, 5).map(Number), isTotal: match[5] === undefined }] : []
    })
    const totals = found.filter(({ isTotal }) => isTotal)
    if (totals.length === 0) return null
    const [run = 0, failures = 0, errors = 0, skipped = 0] = [0, 1, 2, 3].map((at) =>
      totals.reduce((sum, { numbers }) => sum + (numbers[at] ?? 0), 0),
    )
    const tests = lines.flatMap(readFailure)
    const failuresNamed = countTests(tests, 'failed') === failures + errors
    return {
      tests,
      complete: failuresNamed && run === failures + errors && run > 0,
      failuresNamed,
      ran: run - skipped,
      contradicted: false,
      reports: totals.length,
    }
  },
}

/** `com.x.ATest.adds -- Time elapsed…`, before Surefire 3 `adds(com.x.ATest)  Time elapsed…`. */
function readFailure(line: string): ParsedTest[] {
  const name = COUNTS.test(line) ? undefined : FAILURE.exec(line)?.[1]
  if (name === undefined || name.startsWith('Tests run:')) return []
  const [, test, group] = IN_CLASS.exec(name) ?? []
  const dot = name.lastIndexOf('.', name.includes('(') ? name.indexOf('(') : undefined)
  const path =
    test !== undefined && group !== undefined
      ? [group, test]
      : dot < 0
        ? [name]
        : [name.slice(0, dot), name.slice(dot + 1)]
  return [{ path, status: 'failed', kind: 'test' }]
}
