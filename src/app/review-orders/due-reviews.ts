import { isDriven } from '../../adapters/process/run-mark.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { Queue } from '../../loop/ports.ts'
import type { ReviewOrder, StoredReviewOrder } from '../../model/review/review-order.ts'

interface DueParts {
  readonly store: Pick<Store, 'reviewOrders' | 'isOwnerAlive'>
  readonly queue: Pick<Queue, 'send' | 'waiting'>
}

/** Sends a job for each review that nobody runs and for which none waits: rows alone decide, so that no job can be missed. */
export async function sendReviews({ store, queue }: DueParts): Promise<void> {
  const open = await store.reviewOrders.open()
  if (open.length === 0) return
  const waiting = await queue.waiting('reviews')
  for (const stored of open)
    if (!waiting.has(stored.order.review_id) && !isDriven(store, stored))
      await sendReview(queue, stored.order, open)
}

/** The more reviews of its repository are open, the later a review's turn: repositories get equal shares. */
export async function sendReview(
  queue: Pick<Queue, 'send'>,
  { review_id: reviewId, repository_id: repositoryId }: ReviewOrder,
  open: readonly Pick<StoredReviewOrder, 'order'>[],
): Promise<void> {
  const earlier = open.filter(
    ({ order }) => order.repository_id === repositoryId && order.review_id < reviewId,
  )
  await queue.send({ reviewId, repositoryId, refusals: 0 }, { turn: earlier.length })
}
