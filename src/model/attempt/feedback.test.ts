import { describe, expect, it } from 'vitest'
import type { TreeId } from '../id.ts'
import type { CommandResult } from '../proof/verification.ts'
import { verificationFeedback } from './feedback.ts'

const red: CommandResult = {
  name: 'test',
  status: 'failed',
  reason: 'new failures',
  exit_code: 1,
  output: 'WHOLE LOG',
  duration_ms: 1,
}
const told = (given: Partial<CommandResult>): string =>
  verificationFeedback({
    status: 'failed',
    reason: 'test: new failures',
    tree: '1'.repeat(40) as TreeId,
    commands: [
      { ...red, ...given },
      { ...red, name: 'lint', status: 'passed' },
    ],
    depends_on_patch: true,
  })
const test = (name: string, is_new = true) => ({ name, message: `why ${name}\nand where`, is_new })

describe('what the fixer is told of a failing command', () => {
  it('begins with the tests that fail, then has the end of the output, and nothing of green commands', () => {
    expect(told({ failing: [test('adds'), test('old', false)], end: 'END' })).toBe(
      `Verification command "test" failed (exit code 1): new failures

Failing tests:

- adds
    why adds
    and where

Failing before the fix too: old

The end of its output:
END`,
    )
  })
  it('does not tell twice what a failing test said', () => {
    const end = 'not ok 1 - adds\n  why adds\n    and where\n1..1\nwhy adds again'
    expect(told({ failing: [test('adds')], end })).toMatch(
      /The end of its output:\nnot ok 1 - adds\n1\.\.1\nwhy adds again$/,
    )
  })
  it('holds the messages of the first ten tests, and the names of the others', () => {
    const failing = Array.from({ length: 50 }, (_, index) => test(`t${index}`))
    const text = told({ failing, end: 'END' })
    expect(text).toContain('why t9')
    expect(text).not.toContain('why t10')
    expect(text).toMatch(/And 40 more: t10, t11, [^]*t39 and 10 more/)
  })
  it('is the whole output where nothing else is known', () => {
    expect(told({})).toMatch(/^Verification command "test" failed[^]*\n\nWHOLE LOG$/)
  })
})
