import { expect, it } from 'vitest'
import { sampleAttempt, sampleSession } from '../../../test/fixtures/store/samples.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { sessionResult } from '../../model/session/session-result.ts'
import type { SessionChange } from '../ports.ts'
import { createRecorder } from './recorder.ts'

it('a session that ends settles what is still open in the same write, and says that this was a fault', async () => {
  const session = sampleSession('ses_1', ['iss_1'])
  const issue = { id: 'iss_1', code: 'BE-001' } as Issue
  const attempt = sampleAttempt('att_1', session, issue)
  const changes: SessionChange[] = []
  const recorder = createRecorder(
    { session, attempts: [attempt] },
    {
      sessions: { record: async (change) => (changes.push(change), []) },
      publisher: { publish: () => undefined },
      clock: { now: () => 0 },
    },
  )
  const at = '2030-01-01T00:00:00.000Z'
  await recorder.recordTogether({ session: { type: 'ended', status: 'partial', reason: null, at } })
  const settled = {
    stage: 'settled',
    outcome: 'not_evaluated',
    reason: 'internal fault: the session ended while this attempt was queued',
  }
  expect(recorder.attempts()).toMatchObject([settled])
  expect(changes).toMatchObject([{ session: { status: 'partial' }, attempts: [settled] }])
  expect(changes[0]?.issues?.map(({ id }) => id)).toEqual([attempt.issue_id])
})

it('a session that is let go tells how long it ran', async () => {
  const session = sampleSession('ses_1', ['iss_1'])
  const recorder = createRecorder(
    { session, attempts: [] },
    {
      sessions: { record: async () => [] },
      publisher: { publish: () => undefined },
      clock: { now: () => Date.parse(session.created_at) + 5_000 },
    },
  )
  await recorder.recordTogether({ session: { type: 'released', reason: 'stopped' } })
  expect(sessionResult(recorder.session(), [], []).duration_ms).toBe(5_000)
})
