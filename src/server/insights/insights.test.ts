import { expect, it } from 'vitest'
import { sampleRound, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import { sampleAttempt, sampleSession } from '../../../test/fixtures/store/samples.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { sessionResult } from '../../model/session/session-result.ts'
import { attemptsBehind, insightBars, insightsOf, sessionEndsOf } from './insights.ts'

const run = (agent: string, usd: number) => sampleRun({ agent, cost_usd: usd, tokens: usd * 100 })
const challenge = (usd: number) => ({ agent: 'judge', cost_usd: usd, tokens: usd * 100 })

it('count the money of every agent, and come to the same sum as the page of the session', () => {
  const session = sampleSession('ses_1', ['iss_1'], {
    spent_in_vain: { usd: 0.5, tokens: 50 },
    updated_at: '2030-01-02T00:00:00.000Z',
  })
  const issue = { id: 'iss_1', code: 'BE-001' } as Issue
  const attempt = {
    ...sampleAttempt('att_1', session, issue),
    stage: 'settled',
    outcome: 'fixed',
    reproduction: { run: run('writer', 0.25), test: null, reason: '' },
    rounds: [
      sampleRound({ run: run('fixer', 1), challenge: challenge(2) as never }),
      sampleRound({ run: run('fixer', 4), challenge: challenge(8) as never }),
    ],
  } as unknown as Attempt
  const insights = insightsOf({ sessions: [sessionEndsOf({ session, attempts: [attempt] })], issues: [] })
  const { cost_usd, tokens } = sessionResult(session, [attempt], [])
  expect([cost_usd, tokens]).toEqual([15.75, 1575])
  expect(insights).toMatchObject({ cost_usd, tokens, cost_per_fix_usd: cost_usd })
  expect(insights.by_day).toMatchObject([{ day: '2030-01-02', cost_usd, fixed: 1 }])
  expect(insights.by_agent).toEqual([
    { name: 'fixer', attempts: 1, fixed: 1, cost_usd: 5 },
    { name: 'writer', attempts: 0, fixed: 0, cost_usd: 0.25 },
    { name: 'judge', attempts: 0, fixed: 0, cost_usd: 10 },
  ])
})

it('lead from every bar to as many attempts as it counts', () => {
  const session = sampleSession('ses_1', ['iss_1', 'iss_2'], { updated_at: '2030-01-02T00:00:00.000Z' })
  const issues = [
    { id: 'iss_1', code: 'BE-001', rule: 'no-nan', regression_of: null },
    { id: 'iss_2', code: 'BE-002', rule: null, regression_of: 'iss_1' },
  ] as unknown as readonly Issue[]
  const attempts = issues.map((issue, index) => ({
    ...sampleAttempt(`att_${index}`, session, issue),
    stage: 'settled',
    outcome: index === 0 ? 'fixed' : 'blocked',
    evidence: index === 0 ? 'E3' : null,
    rounds: [sampleRound({ run: run('fixer', 1) })],
  })) as unknown as readonly Attempt[]
  const parts = { sessions: [sessionEndsOf({ session, attempts })], issues }
  const insights = insightsOf(parts)
  const named = (tallies: (typeof insights)['by_agent']) =>
    Object.fromEntries(tallies.map(({ name, attempts: count }) => [name, count]))
  const counts = {
    ...insights,
    by_day: Object.fromEntries(insights.by_day.map((day) => [day.day, day.fixed + day.failed + day.skipped])),
    by_agent: named(insights.by_agent),
    by_model: named(insights.by_model),
    by_rule: named(insights.by_rule),
  }
  for (const bar of insightBars)
    for (const [value, count] of Object.entries(counts[bar]))
      expect([bar, value, attemptsBehind(parts, bar, value).length]).toEqual([bar, value, count])
})
