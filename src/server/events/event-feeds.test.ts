import { expect, it } from 'vitest'
import { sampleEvent } from '../../../test/fixtures/attempt-samples.ts'
import { SessionId } from '../../model/id.ts'
import type { FixEvent } from '../../model/session/event.ts'
import { createEventFeeds } from './event-feeds.ts'

const onError = (error: unknown): void => expect.unreachable(String(error))

it('keep the text of a round for who comes later, and what is at work only until the next thing is recorded', () => {
  const feeds = createEventFeeds({ sessions: { events: async () => [] }, isDrivenHere: () => true, onError })
  const publish = (type: FixEvent['type'], seq: number | null, code = 'BE-001') =>
    feeds.publish(sampleEvent({ type, seq, issue_code: code, message: `${type} ${seq}` }))
  const kept = () =>
    feeds.recent(SessionId.parse('ses_1')).map(({ type, issue_code }) => `${issue_code} ${type}`)
  publish('fix_cycle_started', 1)
  publish('fix_issue_streaming', null)
  publish('fix_verification_started', null)
  publish('fix_verification_started', null, 'BE-002')
  expect(kept()).toEqual([
    'BE-001 fix_issue_streaming',
    'BE-001 fix_verification_started',
    'BE-002 fix_verification_started',
  ])
  publish('fix_verification_result', 2)
  expect(kept()).toEqual(['BE-001 fix_issue_streaming', 'BE-002 fix_verification_started'])
  publish('fix_cycle_completed', 3)
  expect(kept()).toEqual(['BE-002 fix_verification_started'])
  feeds.close()
})
