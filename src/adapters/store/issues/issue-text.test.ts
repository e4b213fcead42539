import { describe, expect, it } from 'vitest'
import { issueOf, sampleFinding, sampleReview } from '../../../../test/fixtures/store/samples.ts'
import { Finding } from '../../../model/issue/finding.ts'
import { Issue } from '../../../model/issue/issue.ts'
import { blanksOf } from '../tables/blanks.ts'
import { formatFinding } from '../reviews/finding-rows.ts'
import { formatIssue, parseIssue } from './issue-text.ts'
import { blankIssue, fillIssue, inheritedFields, issueColumns, type StoredIssue } from './stored-issue.ts'

const finding = sampleFinding(sampleReview('rev_1'), 7, {
  suggested_fix: 'remove it',
  references: ['CWE-79'],
  estimated_effort: 2,
})
const issue: Issue = {
  ...issueOf(finding, 'iss_1', { references: ['CWE-79'], estimated_effort: 2 }),
  code: 'BE-001',
  absent_since: null,
}

const rowOf = (stored: Issue, lead: Finding | null, data: string): StoredIssue => ({
  id: stored.id,
  repository_id: stored.repository_id,
  task_id: stored.task_id,
  code: stored.code,
  status: stored.status,
  severity: stored.severity,
  rank: -stored.priority,
  lead: lead && formatFinding(lead),
  data,
})

describe('an issue in its row', () => {
  it('leaves out exactly what the schemas let be blank, and what the finding says', () => {
    const names = Object.keys(Issue.shape)
    expect(Object.keys(blankIssue)).toEqual(names)
    expect(Object.entries(blankIssue).filter(([, blank]) => blank !== undefined)).toEqual(
      Object.entries(blanksOf(Issue).fill('{}') as object),
    )
    const columns: readonly string[] = [...issueColumns, 'updated_at']
    expect(inheritedFields).toEqual(names.filter((name) => name in Finding.shape && !columns.includes(name)))
  })

  it.each(Object.keys(Finding.shape) as (keyof Finding)[])(
    'holds its finding as the blanks would, with any %s',
    (name) => {
      const asBlanksWould = (said: Finding): unknown => JSON.parse(blanksOf(Finding).format(said))
      for (const other of name === 'references' ? [[], ['other']] : [null, 'other', ['other'], 7]) {
        // What the schema does not let be null is never null.
        if (other === null && !Finding.shape[name].safeParse(null).success) continue
        const said = { ...finding, [name]: other }
        expect(JSON.parse(formatFinding(said))).toEqual(asBlanksWould(said))
      }
    },
  )

  it('repeats nothing of the finding that it was made of', () => {
    const data = formatIssue({ ...issue, references: finding.references }, finding)
    expect(JSON.parse(data)).toEqual({
      class: 'BE',
      flagged_by: ['eslint'],
      created_at: issue.created_at,
    })
  })

  it.each<readonly [string, Partial<Issue>]>([
    ['as it was made', {}],
    ['with other words', { title: 'other', description: '', severity: 'critical', priority: 0 }],
    [
      'with less than its finding said',
      { suggested_fix: null, references: [], rule: null, file: null, estimated_effort: null },
    ],
    ['with odd text', { title: 'odd \u0000 \ud800 title', file: 'a\ud800\u0000.ts' }],
    [
      'after a change',
      {
        updated_at: '2040-01-01T00:00:00.000Z',
        depends_on: [issue.id],
        plan: { approach: '', steps: [], risks: [], verification: null },
      },
    ],
  ])('is read as it was written, %s', (_, difference) => {
    const written = { ...issue, ...difference }
    expect(parseIssue(rowOf(written, finding, formatIssue(written, finding)))).toEqual(written)
    expect(parseIssue(rowOf(written, null, formatIssue(written, null)))).toEqual(written)
    // A change is written without looking at the finding.
    expect(parseIssue(rowOf(written, finding, formatIssue(written, null)))).toEqual(written)
  })

  it.each(Object.keys(Issue.shape) as (keyof Issue)[])(
    'keeps another %s than its finding and a new issue have',
    (name) => {
      const plain: Issue = {
        ...issueOf(finding, 'iss_1', { references: finding.references }),
        code: 'BE-001',
      }
      const kept = (written: Issue) => fillIssue(rowOf(written, finding, formatIssue(written, finding)))
      // The types do not matter here: what is stored was checked before.
      for (const other of name === 'priority' ? [7] : ['other', ['other'], 7])
        expect(kept({ ...plain, [name]: other })[name]).toEqual(other)
    },
  )

  it('is refused when its text cannot be an issue', () => {
    expect(() => parseIssue(rowOf(issue, null, '{"class":"XX"}'))).toThrow('iss_1')
  })
})
