import { z } from 'zod'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import { overridesOf } from '../serving/asked-settings.ts'
import { reviewView } from '../serving/review-views.ts'
import type { Serving } from '../serving/serving.ts'
import { ReviewList, ReviewOutcome, ReviewView, StartReview } from '../../model/api/repositories.ts'
import { Fault, faultCodes } from '../../model/fault.ts'
import { RepositoryId, type ReviewId } from '../../model/id.ts'
import { isLastOfReview, type ReviewEvent } from '../../model/review/review-event.ts'
import type { ReviewOrder } from '../../model/review/review-order.ts'
import { addEndpoint, type ServerApp, type ServerContext } from '../http/endpoint.ts'
import { fixFaults } from './fix.ts'
import { addReviewEvents, keptReview, ofReview } from './review-events.ts'

const path = '/api/reviews'
const reviewsShown = 200

export function addReviewRoutes(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path,
      summary: 'The reviews and imports of a repository, newest first; those that run are among them',
      query: z.object({ repository_id: RepositoryId }),
      answers: ReviewList,
      faults: ['not_found'],
    },
    async ({ query }) => {
      const { id } = await serving.findRepository(query.repository_id)
      const reviews = await serving.store.reviews.list(id, reviewsShown)
      return {
        schema: 'fixpoint.reviews.v1',
        reviews: reviews.map((review) => reviewView(review, serving.store)),
      }
    },
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}`,
      summary: 'One review: who looked, at how much, and what came of it',
      params: ofReview,
      answers: ReviewView,
    },
    ({ params: { id } }) => viewOf(serving, id),
  )
  addStartReview(app, serving)
  addReviewEvents(app, serving)
  addCancelReview(app, serving)
}

function addStartReview(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path,
      summary:
        'Let the reviewers look at the code; answers when they are done, or at once (202) with Prefer: respond-async',
      body: StartReview,
      status: 201,
      answers: ReviewOutcome,
      others: [{ status: 202, when: 'the review that has begun', schema: ReviewOutcome }],
      faults: [...fixFaults, 'input_invalid', 'review_failed'],
    },
    async ({ body, context }): Promise<object> => {
      const id = await begin(serving, body)
      if (isAsync(context)) return context.json(outcomeAtOnce(id), 202, { location: `${path}/${id}` })
      return outcomeOf(await lastEventOf(serving, id), (await keptReview(serving, id)).reviewers)
    },
  )
}

const viewOf = async (serving: Serving, id: ReviewId): Promise<ReviewView> =>
  reviewView(await keptReview(serving, id), serving.store)

/** Waits for the end of a review, whoever runs it. */
const lastEventOf = (serving: Serving, id: ReviewId): Promise<ReviewEvent> =>
  new Promise((resolve) => {
    const unfollow = serving.reviewFeeds.follow(id, 0, (event) => {
      if (!isLastOfReview(event)) return
      unfollow()
      resolve(event)
    })
  })

const Counts = ReviewOutcome.pick({
  review_id: true,
  state: true,
  findings: true,
  issues_created: true,
  issues_updated: true,
})

function outcomeOf(
  { type, message, details }: ReviewEvent,
  reviewers: ReviewOutcome['reviewers'],
): ReviewOutcome {
  if (type === 'review_error') throw faultOf(message, details)
  const counts = Counts.parse(details)
  return { schema: 'fixpoint.review.v1', ...counts, reviewers, incomplete: [], format: null }
}

/** The fault that ended a review, in whichever process. */
function faultOf(message: string, { code, hint }: ReviewEvent['details']): Fault {
  const known = faultCodes.find((one) => one === code) ?? 'review_failed'
  return new Fault(known, message, typeof hint === 'string' ? { hint } : {})
}

/** Whether the client does not want to wait, in the words of RFC 7240. */
const isAsync = (context: ServerContext): boolean =>
  /\brespond-async\b/i.test(context.req.header('prefer') ?? '')

const outcomeAtOnce = (id: ReviewId): ReviewOutcome => ({
  schema: 'fixpoint.review.v1',
  review_id: id,
  state: 'running',
  reviewers: [],
  incomplete: [],
  format: null,
  findings: 0,
  issues_created: 0,
  issues_updated: 0,
})

async function begin(serving: Serving, body: StartReview): Promise<ReviewId> {
  const settings = overridesOf(body)
  const opened = await serving.openRepository(body.repository_id, settings)
  try {
    const revisions = ['HEAD', ...(body.base === undefined ? [] : [body.base])]
    await requireTrusted(opened, { for: 'review', revisions })
    return await serving.reviews.begin(opened, scopeOf(body), settings)
  } finally {
    await opened.close()
  }
}

const scopeOf = ({ paths = [], base, pending, spec }: StartReview): ReviewOrder['scope'] => ({
  paths,
  ...(base !== undefined && { base }),
  ...(pending !== undefined && { pending }),
  ...(spec !== undefined && { spec }),
})

function addCancelReview(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: `${path}/{id}/cancel`,
      summary: 'End a review; what its reviewers have found already is kept',
      params: ofReview,
      answers: ReviewView,
      faults: ['transition_refused'],
    },
    async ({ params: { id } }) => {
      const { state } = await viewOf(serving, id)
      if (state === 'running' && (await serving.reviews.cancel(id))) return viewOf(serving, id)
      if (state === 'running')
        throw new Fault('transition_refused', 'a command runs this review', {
          hint: 'Stop it where it was started.',
        })
      throw new Fault('transition_refused', `the review is over already: ${state}`)
    },
  )
}
