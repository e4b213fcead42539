import { describe, expect, it } from 'vitest'
import { sampleRound } from '../../../test/fixtures/attempt-samples.ts'
import {
  issueOf,
  sampleAttempt,
  sampleFinding,
  sampleReview,
  sampleSession,
} from '../../../test/fixtures/store/samples.ts'
import type { IssueReport } from '../../model/agent/report.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import { formatSessionHtml } from './session-html.ts'

const issue = { ...issueOf(sampleFinding(sampleReview('rev_1'), 1), 'iss_1'), code: 'BE-001' }
const openSession = sampleSession('ses_two', [issue.id])
const attempt = (given: object): Attempt => ({ ...sampleAttempt('att_1', openSession, issue), ...given })
const report: IssueReport = {
  outcome: 'fixed',
  files_modified: [],
  changes_summary: 'Round the sum up',
  explanation: '',
  confidence: null,
  completeness: null,
  risks: [],
}

describe('a session as one page', () => {
  const session = {
    ...sampleSession('ses_one', []),
    warnings: [`<script>alert(1)</script><img src=x onerror=alert(1)>\u202E`],
  }
  const page = formatSessionHtml(session, [], [])

  it('is called by its branch or by what it was asked for, and says in words where an issue is', () => {
    const page = formatSessionHtml(openSession, [attempt({})], [issue])
    expect(page).toContain('<h1>1 issue, no branch yet</h1>')
    expect(page).toContain('0 versions verified')
    expect(page).toContain('It waits for its turn.')
    expect(page).not.toContain('ses_two')
  })

  it('says what a fix changed, and its grade once', () => {
    const end = {
      stage: 'settled',
      outcome: 'fixed',
      reason: 'landed with evidence E2',
      evidence: 'E2',
      commit_sha: null,
    }
    const page = formatSessionHtml(
      openSession,
      [attempt({ ...end, rounds: [sampleRound({ report })] })],
      [issue],
    )
    expect(page).toContain('Round the sum up')
    expect(page.split('E2')).toHaveLength(2)
  })

  it('needs nothing else and runs nothing', () => {
    expect(page).toContain(`default-src 'none'`)
    expect(page).not.toMatch(/<(?:script|img|link|iframe)\b/i)
    expect(page).not.toMatch(/<[^>]*\b(?:src|href)=/)
  })

  it('shows what others said as text, without hidden signs', () => {
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page).not.toContain('\u202E')
    expect(page).toContain('0 of 0 fixed')
  })
})
