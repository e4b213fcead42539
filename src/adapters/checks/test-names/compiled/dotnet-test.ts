import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

const RESULT = /^ {2}(Passed|Failed|Skipped) (.+?)(?: \[(?:< )?[\d.,:]+ ?(?:ms|s|m|h)?.*\])?$/
const COUNTS = /^(?:Passed|Failed|Skipped)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+), Total: +(\d+)/
const STATUSES: Readonly<Record<string, TestStatus>> = {
  Passed: 'passed',
  Failed: 'failed',
  Skipped: 'skipped',
}

/** `dotnet test`: all names with `--logger "console;verbosity=normal"`, else the failed and skipped ones. */
export const dotnetTestReader: OutputReader = {
  name: 'dotnet-test',
  namesEveryTest: 'verbose',
  read(lines) {
    const counts = lines.flatMap((line) => {
      const found = COUNTS.exec(line)
      return found ? [found.slice(1).map(Number)] : []
    })
    if (counts.length === 0) return null
    const [failed = 0, passed = 0, , total = 0] = [0, 1, 2, 3].map((at) =>
      counts.reduce((sum, numbers) => sum + (numbers[at] ?? 0), 0),
    )
    const tests = lines.flatMap((line): ParsedTest[] => {
      const [, word = '', name] = RESULT.exec(line) ?? []
      const status = STATUSES[word]
      return name === undefined || !status ? [] : [{ path: [name], status, kind: 'test' }]
    })
    const failuresNamed = countTests(tests, 'failed') === failed
    return {
      tests,
      complete: failuresNamed && tests.length === total,
      failuresNamed,
      ran: failed + passed,
      contradicted: tests.length > total,
      reports: counts.length,
    }
  },
}
