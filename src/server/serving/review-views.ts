import { isDriven } from '../../adapters/process/run-mark.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { ReviewView } from '../../model/api/repositories.ts'
import type { Review } from '../../model/issue/review.ts'
import { countFindings, type ReviewEvent } from '../../model/review/review-event.ts'

/** A review on record, as lists show it: one that waits, or that another process runs, is running here too. */
export function reviewView(
  { running, ended, ...review }: Review,
  store: Pick<Store, 'isOwnerAlive'>,
): ReviewView {
  const isUnderWay = running && (running.owner === null || isDriven(store, running))
  if (isUnderWay) return { ...review, state: 'running', reviewers: [], error: null }
  if (ended) return { ...review, state: ended.by === 'person' ? 'cancelled' : 'failed', error: ended.reason }
  const reasons = review.reviewers.flatMap(({ agent, reason }) =>
    reason === null ? [] : [`${agent}: ${reason}`],
  )
  return { ...review, error: review.state === 'failed' ? reasons.join('; ') : null }
}

/** The durable events of a review that a command ran or runs, as far as its record tells. */
export function eventsOfRecord(review: Review, store: Pick<Store, 'isOwnerAlive'>): readonly ReviewEvent[] {
  const base = { timestamp: review.created_at, review_id: review.id, agent: null, details: {} }
  const reviewers = review.reviewers.map(({ agent }) => agent)
  const findings = review.reviewers.reduce((sum, reviewer) => sum + reviewer.findings, 0)
  const { state, error } = reviewView(review, store)
  const started = {
    ...base,
    type: 'review_started' as const,
    message: review.scope ?? '',
    details: { reviewers, scope: review.scope },
  }
  if (state === 'running') return [{ ...started, seq: 1 }]
  const events: readonly Omit<ReviewEvent, 'seq'>[] = [
    started,
    ...review.reviewers.map(({ agent, findings: count, reason }) => ({
      ...base,
      type: 'review_result' as const,
      agent,
      message: reason ?? countFindings(count),
      details: { findings: count, reason },
    })),
    {
      ...base,
      type: state === 'failed' ? 'review_error' : 'review_completed',
      message: error ?? countFindings(findings),
      details: { review_id: review.id, state, findings },
    },
  ]
  return events.map((event, index) => ({ ...event, seq: index + 1 }))
}
