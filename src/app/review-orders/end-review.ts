import { countFindings } from '../../model/review/review-event.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { TakenReview } from '../../loop/ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { ReviewId } from '../../model/id.ts'
import type { Review } from '../../model/issue/review.ts'
import type { NewReviewEvent } from '../../model/review/review-order.ts'
import { clock } from '../machine.ts'
import { failedFor } from '../review/review-record.ts'

/** Hears what happens in the reviews of this process, as it happens. */
export interface ReviewListener {
  /** An event was stored. */
  onChange(id: ReviewId): void
  /** A reviewer says something; nothing of it is stored. */
  onSaid(id: ReviewId, agent: string, text: string): void
}

/** How a review ended in this process. */
export type ReviewEnd =
  | { readonly kind: 'done'; readonly state: Review['state']; readonly findings: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly fault: Fault }
  /** This process cannot begin it; another one may. */
  | { readonly kind: 'refused'; readonly fault: Fault }
  /** Another process goes on with it. */
  | { readonly kind: 'left' }

interface EndParts {
  readonly store: Pick<Store, 'reviewOrders' | 'reviews'>
  readonly reviewListener?: ReviewListener | undefined
}

/** Writes the last event of a review, and what it came to where no reviewer said so. */
export async function endReview(taken: TakenReview, end: ReviewEnd, parts: EndParts): Promise<void> {
  const { store, reviewListener } = parts
  const { review_id: id } = taken.order
  if (end.kind === 'left') return
  if (end.kind === 'done') {
    const { state, findings } = end
    // Another process may have stored a part of it.
    const { created, changed } = (await store.reviewOrders.read(id))?.order ?? taken.order
    const message = `${countFindings(findings)}: ${created} new ${created === 1 ? 'issue' : 'issues'}, ${changed} updated`
    const details = { review_id: id, state, findings, issues_created: created, issues_updated: changed }
    await store.reviewOrders.end(taken.held, { event: eventOf('review_completed', message, details) })
  } else {
    const [by, reason] =
      end.kind === 'cancelled'
        ? (['person', 'cancelled by a person'] as const)
        : (['fault', end.fault.message] as const)
    const details =
      end.kind === 'cancelled' ? { code: 'review_failed' } : { code: end.fault.code, hint: end.fault.hint }
    const kept = await store.reviews.get(id)
    const review = kept && { ...failedFor(kept, reason), ended: { by, reason } }
    await store.reviewOrders.end(taken.held, {
      event: eventOf('review_error', reason, details),
      ...(review && { review }),
    })
  }
  reviewListener?.onChange(id)
}

export const eventOf = (
  type: NewReviewEvent['type'],
  message: string,
  details: NewReviewEvent['details'],
): NewReviewEvent => ({ type, message, details, agent: null, timestamp: new Date(clock.now()).toISOString() })
