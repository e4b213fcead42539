import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

const RESULT = /^(\S.*? > .+?) (PASSED|FAILED|SKIPPED)$/
const COUNTS = /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$/
const ENDED = /^BUILD (?:SUCCESSFUL|FAILED) in /
const STATUSES: Readonly<Record<string, TestStatus>> = {
  PASSED: 'passed',
  FAILED: 'failed',
  SKIPPED: 'skipped',
}

/** Gradle: the failed tests and, only when one failed, the counts; all names where `testLogging` shows passed ones. */
export const gradleReader: OutputReader = {
  name: 'gradle',
  namesEveryTest: 'verbose',
  read(lines) {
    const tests = lines.flatMap((line): ParsedTest[] => {
      const [, name, word = ''] = RESULT.exec(line) ?? []
      const status = STATUSES[word]
      return name === undefined || !status ? [] : [{ path: name.split(' > '), status, kind: 'test' }]
    })
    const counts = lines.flatMap((line) => {
      const found = COUNTS.exec(line)
      return found ? [found.slice(1).map((text) => Number(text ?? 0))] : []
    })
    const isGradle = lines.some((line) => ENDED.test(line)) && (counts.length > 0 || tests.length > 0)
    if (!isGradle) return null
    const sum = (at: number): number => counts.reduce((total, numbers) => total + (numbers[at] ?? 0), 0)
    const failed = countTests(tests, 'failed')
    const failuresNamed = failed === sum(1)
    // A green build prints no counts; a build that shows passed tests shows all of them.
    const isWhole = counts.length > 0 ? tests.length === sum(0) : countTests(tests, 'passed') > 0
    return {
      tests,
      complete: failuresNamed && isWhole,
      failuresNamed,
      ran: counts.length > 0 ? sum(0) - sum(2) : isWhole ? countTests(tests, 'passed') : null,
      contradicted: counts.length > 0 && tests.length > sum(0),
    }
  },
}
