import { describe, expect, it } from 'vitest'
import { createLikeness, normaliseTitle } from './words.ts'

describe('titles', () => {
  const likeness = createLikeness()
  const said = (title: string) => ({ title, description: title })
  const isSame = (a: string, b: string) => likeness(said(a), said(b)) > 0

  it.each([
    ['SQL injection via string concatenation', 'String concatenation in SQL query allows injection'],
    ['Unused variable x', 'Variable `x` is unused'],
    ['Missing null check', 'Possible missing null-checks'],
    ['Avoid calling eval()', 'Call of eval should be avoided'],
    ['未使用の変数', '未使用の変数'],
    [
      'The nesting depth is not limited; deeply nested arrays cause a StackOverflowError in callers.',
      'Denial of service through deep nesting, add a maximum depth.',
    ],
    ['Validation of the suffix is absent', 'The suffix is not validated'],
    [
      'A pod that is evicted during `drainNode` loses its lease, and nobody takes the lease over',
      'Leases of evicted pods are lost: `drainNode` must hand them over first',
    ],
    ['Avoid `any` here; use unknown instead.', 'Use `unknown` instead of `any` here.'],
    ['Two threads can corrupt the buckets', 'Race on the buckets while they are resized'],
    ['The uploaded tmp file is never cleaned up', 'Temporary uploads are never deleted'],
  ])('%j and %j speak of the same', (a, b) => {
    expect([isSame(a, b), isSame(b, a)]).toEqual([true, true])
  })

  it.each([
    ['Unused variable x', 'Missing null check'],
    ['Missing await', 'Missing error handling around await'],
    ['Hard-coded password', 'Function is too long'],
    ['', 'Bad call'],
    ['The issue is here', 'There is a problem with it'],
    ['The session cookie is sent without the Secure attribute.', 'The session cookie outlives the logout.'],
    ['The import os is unused.', 'The import sys is unused.'],
    ['The retry loop has no limit.', 'The retry loop does not wait between attempts.'],
    ['Password is stored without a salt.', 'Password may be empty.'],
    ['`readUser` never gives its cursor back', '`readTeam` never checks the size of its cursor'],
    [
      '`readUserSettings` is slow when a team has many members.',
      '`readUserSettings` swallows the failure of the store.',
    ],
    ['The buffer of 4 KB is too small for the header.', 'The buffer of 4 KB is too large for the header.'],
    ['`%`-format string has 2 placeholder(s) but 1 substitution(s)', 'Too few public methods (1/2)'],
    ['Increase the pool size for imports.', 'Decrease the pool size for imports.'],
    ['Prefer a spread argument over apply() here.', 'Avoid the spread argument over apply() here.'],
  ])('%j and %j do not', (a, b) => {
    expect([isSame(a, b), isSame(b, a)]).toEqual([false, false])
  })

  it('are compared without case, punctuation and line numbers', () => {
    expect(normaliseTitle('  Bad CALL, at lines 3-7! ')).toBe('bad call at line')
  })
})
