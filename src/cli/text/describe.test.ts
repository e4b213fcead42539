import { expect, it } from 'vitest'
import type { FixOutcome } from '../../app/fix/stored-session.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Output } from '../command/output.ts'
import { describeLedger, issueTable } from './describe.ts'

const output = { paint: (_color: string, text: string) => text } as unknown as Output
type Result = FixOutcome['result']

const ledgerOf = (results: readonly object[]): readonly string[] => {
  const result = { results, issues_fixed: 0, issues_failed: 0, issues_skipped: 0, issues_requested: 0 }
  const rest = { duration_ms: 0, verifications_run: 0, cost_usd: 0, sandbox: 'none' }
  return describeLedger({ ...result, ...rest } as unknown as Result, output).split('\n')
}

const ended = (index: number, reason = 'no checks') => ({
  issue_code: `BE-${index}`,
  outcome: 'not_evaluated',
  title: 'a',
  reason,
  rounds: [],
})

it('many issues that one reason ended are counted, with the reason once', () => {
  const lines = ledgerOf([...Array.from({ length: 30 }, (_, index) => ended(index)), ended(30, 'another')])
  expect(lines.slice(0, 13)).toEqual([
    ...Array.from({ length: 8 }, (_, index) => `✗ BE-${index}     not_evaluated a`),
    '  … and 21 more, up to',
    '✗ BE-29    not_evaluated a',
    '    no checks',
    '✗ BE-30    not_evaluated a',
    '    another',
  ])
})

it('a few issues that one reason ended are all named', () => {
  expect(ledgerOf([ended(1), ended(2), ended(3)]).slice(0, 5)).toEqual([
    '✗ BE-1     not_evaluated a',
    '✗ BE-2     not_evaluated a',
    '✗ BE-3     not_evaluated a',
    '    no checks',
    '',
  ])
})

it('a long place keeps its file and line', () => {
  const issue = { code: 'BE-1', severity: 'minor', status: 'open', title: 'a' }
  const file = `packages/${'folder/'.repeat(8)}last.ts`
  const table = issueTable([{ ...issue, file, line: 12 } as Issue], output)
  expect(table).toMatch(/ {2}…[\w/]*folder\/last\.ts:12 {2}a$/)
})
