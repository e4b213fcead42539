// Adds up the reports of CI's lanes: node scripts/count-tests.ts FOLDER LANE…
import { existsSync, readFileSync } from 'node:fs'

interface Report {
  numPassedTests?: number
  numFailedTests?: number
  success?: boolean
}

const [folder = '.', ...lanes] = process.argv.slice(2)
let passed = 0
let failed = 0
for (const lane of lanes) {
  const file = `${folder}/${lane}.json`
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : {}
  const { numPassedTests = 0, numFailedTests = 0, success = false } = report
  // Only the jail's tests may all be skipped, on a machine where there can be no jail.
  const mayBeEmpty = lane === 'attacks' && process.env['JAIL_TESTS'] !== 'required'
  const whole = success && (numPassedTests > 0 || mayBeEmpty)
  passed += numPassedTests
  // A lane without a report, or a file that cannot be loaded, fails without a failed test, so it counts as one.
  failed += whole ? numFailedTests : Math.max(1, numFailedTests)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
