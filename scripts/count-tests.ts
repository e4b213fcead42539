// Says in one line how the tests of CI ended: node scripts/count-tests.ts REPORT…
import { existsSync, readFileSync } from 'node:fs'

interface Report {
  numPassedTests?: number
  numFailedTests?: number
  success?: boolean
}

const counts = process.argv.slice(2).map((file) => {
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : {}
  const { numPassedTests: passed = 0, numFailedTests = 0, success = false } = report
  // A missing report, or a file that cannot be loaded, fails without a failed test, so it counts as one.
  return { passed, failed: success && passed > 0 ? numFailedTests : Math.max(1, numFailedTests) }
})
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
