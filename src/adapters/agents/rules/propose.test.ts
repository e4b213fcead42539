import { expect, it } from 'vitest'
import { sampleIssue } from '../../../../test/fixtures/issue.ts'
import type { IssueId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { lineFixOfEdits } from '../../exports/line-fixes.ts'
import { builtInRules } from './built-in-rules.ts'
import { proposeFixes } from './propose.ts'

const text = `export const a = (x) => x === NaN
export const b = (x) => x === NaN
debugger
`
const raised = (id: string, change: Partial<Issue>): Issue =>
  sampleIssue({ id: id as IssueId, file: 'src/a.js', end_line: null, flagged_by: ['rules'], ...change })

it('the rules agent proposes the change of the place that an issue is about, and nothing for the issues of others', async () => {
  const rule = 'eslint/use-isnan'
  const issues = [
    raised('iss_b', { rule, line: 2, current_code: 'export const b = (x) => x === NaN' }),
    raised('iss_other', { rule, line: 1, flagged_by: ['eslint'] }),
    raised('iss_unknown', { rule: 'no/rule', line: 1 }),
    raised('iss_gone', { rule, line: 1, file: 'src/gone.js' }),
  ]
  const signal = new AbortController().signal
  const proposed = await proposeFixes(issues, new Map([['src/a.js', text]]), { rules: builtInRules, signal })
  expect([...proposed.keys()]).toEqual(['iss_b'])
  const { file = '', edits = [] } = proposed.get('iss_b' as IssueId) ?? {}
  expect(lineFixOfEdits(file, text, edits)).toEqual({
    file: 'src/a.js',
    replacements: [{ startLine: 2, endLine: 3, text: 'export const b = (x) => Number.isNaN(x)\n' }],
  })
})

it('the rules agent gives what it has when its time is over', async () => {
  const issues = [raised('iss_b', { rule: 'eslint/use-isnan', line: 2 })]
  const over = { rules: builtInRules, signal: AbortSignal.abort() }
  expect(await proposeFixes(issues, new Map([['src/a.js', text]]), over)).toEqual(new Map())
})

it.each([
  [
    'the last line without a line end',
    'a\nbc',
    { start: 3, end: 4, text: 'd' },
    { startLine: 2, endLine: 3, text: 'bd' },
  ],
  [
    'an insertion at the beginning',
    'a\nb\n',
    { start: 0, end: 0, text: 'x\n' },
    { startLine: 1, endLine: 2, text: 'x\na\n' },
  ],
  [
    'a whole line that goes',
    'a\nb\nc\n',
    { start: 2, end: 4, text: '' },
    { startLine: 2, endLine: 3, text: '' },
  ],
])('the rules agent says edits as whole lines: %s', (_, before, edit, replacement) => {
  expect(lineFixOfEdits('a', before, [edit]).replacements).toEqual([replacement])
})
