import { setTimeout } from 'node:timers/promises'
import { createRunMark } from '../../adapters/process/run-mark.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { Override } from '../../app/config/overrides.ts'
import type { App } from '../../app/open-app.ts'
import { resolveBase } from '../../app/resolve-base.ts'
import { describeScope } from '../../app/review/review-scope.ts'
import { sendReview } from '../../app/review-orders/due-reviews.ts'
import type { ReviewWorker } from '../../app/review-orders/review-worker.ts'
import type { Queue } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import { ReviewId } from '../../model/id.ts'
import type { ReviewOrder } from '../../model/review/review-order.ts'
import type { Review } from '../../model/issue/review.ts'

export interface AskedReviewsParts {
  readonly store: Pick<Store, 'reviewOrders' | 'reviews'>
  readonly queue: Pick<Queue, 'send'>
  readonly worker: ReviewWorker
}

/** People's requests for reviews, whichever process runs them. */
export interface AskedReviews {
  /** Puts a review into the queue, with the settings that were asked for; whoever asks need not wait for it. */
  begin(app: App, scope: ReviewOrder['scope'], settings: readonly Override[]): Promise<ReviewId>
  /** Ends a review; what its reviewers have found already is kept. False when it is over. */
  cancel(id: ReviewId): Promise<boolean>
}

const patienceMs = 10_000
const lookEveryMs = 100

export function createAskedReviews({ store, queue, worker }: AskedReviewsParts): AskedReviews {
  return {
    async begin(app, scope, settings) {
      const order = await jobOf(app, { scope, settings })
      // What nobody committed is in sight here only.
      const owner = scope.pending ? createRunMark(app.home) : null
      await store.reviewOrders.add(order, recordOf(order, await resolveBase(app)), owner)
      if (scope.pending) void worker.look(order.review_id)
      else await sendReview(queue, order, await store.reviewOrders.open())
      return order.review_id
    },
    async cancel(id) {
      if (!(await store.reviewOrders.requestEnd(id))) return false
      for (let waited = 0; waited < patienceMs; waited += lookEveryMs) {
        // One that nobody runs is ended here.
        await worker.look(id)
        if ((await store.reviewOrders.read(id)) === null) return true
        await setTimeout(lookEveryMs)
      }
      throw new Fault('busy', `the process that runs ${id} has not ended it yet`, {
        hint: 'Look again in a moment: it ends, or another process ends it.',
      })
    },
  }
}

async function jobOf(app: App, asked: Pick<ReviewOrder, 'scope' | 'settings'>): Promise<ReviewOrder> {
  const { ids } = await app.ports()
  return {
    ...asked,
    review_id: ReviewId.parse(ids.next('rev')),
    repository_id: app.repository.id,
    commit: (await resolveBase(app)).commit,
    wish: 'go_on',
    deaths: 0,
    progress: 0,
    created: 0,
    changed: 0,
  }
}

/** What lists show until somebody begins it; that process knows the reviewers. */
function recordOf(order: ReviewOrder, { tree }: Awaited<ReturnType<typeof resolveBase>>): Review {
  return {
    id: order.review_id,
    repository_id: order.repository_id,
    kind: 'review',
    commit: order.commit,
    scope: describeScope(order.scope),
    state: 'failed',
    reviewers: [],
    created_at: new Date().toISOString(),
    running: { owner: null, tree, is_committed: !order.scope.pending },
  }
}
