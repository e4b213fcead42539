import { expect, it } from 'vitest'
import { sampleRound, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import { sampleAttempt, sampleSession } from '../../../test/fixtures/store/samples.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { sessionResult } from '../../model/session/session-result.ts'
import { insightsOf, sessionEndsOf } from './insights.ts'

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
