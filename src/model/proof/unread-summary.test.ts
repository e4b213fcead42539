import { expect, it } from 'vitest'
import { missingSummary } from './unread-summary.ts'

it.each([
  ['the same counts', '5 checks, 5 ok\n', '5 checks, 5 ok\n'],
  ['more of them', '6 checks, 6 ok\n', '5 checks, 4 ok\n'],
  ['counts behind a colon', 'Total: 7\nPassed: 7\n', 'Total: 7\nPassed: 6\nFailed: 1\n'],
  ['a base that counts nothing', '', 'AssertionError: 1 == 2\n    at a.js:12:3\n'],
  ['a base that was silent', 'all is well\n', ''],
  ['a linter that is silent now', '', '✖ 3 problems (2 errors, 1 warning)\n'],
  ['a build with another time', 'built in 1.2s\n', 'built in 1.3s\n'],
])('%s is the summary of the base', (_, now, before) => {
  expect(missingSummary(now, before)).toBeNull()
})

it.each([
  ['silence', '', '5 checks, 5 ok\n', 'the summary is gone that counted checks, ok on the base'],
  ['other words', 'done\n', '3 tests, 1 failed\n', 'the summary is gone that counted tests on the base'],
  ['fewer', '2 passed\n', '5 passed\n', 'the summary counts 2 by "passed", on the base 5'],
])('%s is not the summary of the base', (_, now, before, reason) => {
  expect(missingSummary(now, before)).toBe(reason)
})
