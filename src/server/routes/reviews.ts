import { z } from 'zod'
import { reviewResult } from '../../app/review/review-repository.ts'
import type { ReviewScope } from '../../app/review/review-scope.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import { overridesOf } from '../serving/asked-settings.ts'
import { reviewView, type RunningReview } from '../serving/running-reviews.ts'
import type { Serving } from '../serving/serving.ts'
import { ReviewList, ReviewOutcome, ReviewView, StartReview } from '../../model/api/repositories.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId } from '../../model/id.ts'
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
      const kept = (await serving.store.reviews.list(id, reviewsShown)).map((review) =>
        reviewView(review, serving.store),
      )
      const known = new Set(kept.map((review) => review.id))
      const own = serving.reviews.ofRepository(id)
      const cancelled = new Map(own.map((review) => [review.id, review]))
      return {
        schema: 'fixpoint.reviews.v1',
        // A cancelled review is stored as failed; this process knows better.
        reviews: [
          ...own.filter((review) => !known.has(review.id)),
          ...kept.map((review) => cancelled.get(review.id) ?? review),
        ],
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
    async ({ params: { id } }) =>
      serving.reviews.find(id)?.view() ?? reviewView(await keptReview(serving, id), serving.store),
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
      const run = await begin(serving, body)
      const { id } = run.view()
      if (isAsync(context)) return context.json(outcomeAtOnce(run), 202, { location: `${path}/${id}` })
      return {
        schema: 'fixpoint.review.v1',
        ...reviewResult(await run.done),
        incomplete: [],
        format: null,
      } satisfies ReviewOutcome
    },
  )
}

/** Whether the client does not want to wait, in the words of RFC 7240. */
const isAsync = (context: ServerContext): boolean =>
  /\brespond-async\b/i.test(context.req.header('prefer') ?? '')

const outcomeAtOnce = ({ view }: RunningReview): ReviewOutcome => ({
  schema: 'fixpoint.review.v1',
  review_id: view().id,
  state: 'running',
  reviewers: [],
  incomplete: [],
  format: null,
  findings: 0,
  issues_created: 0,
  issues_updated: 0,
})

async function begin(serving: Serving, body: StartReview): Promise<RunningReview> {
  const opened = await serving.openRepository(body.repository_id, overridesOf(body))
  try {
    const revisions = ['HEAD', ...(body.base === undefined ? [] : [body.base])]
    await requireTrusted(opened, { for: 'review', revisions })
    return await serving.reviews.begin(opened, scopeOf(body))
  } catch (error) {
    await opened.close()
    throw error
  }
}

const scopeOf = ({ paths = [], base, pending, spec }: StartReview): ReviewScope => ({
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
      const run = serving.reviews.find(id)
      const { state } = run?.view() ?? reviewView(await keptReview(serving, id), serving.store)
      if (state !== 'running') throw new Fault('transition_refused', `the review is over already: ${state}`)
      if (!run)
        throw new Fault('transition_refused', 'another process runs this review', {
          hint: 'Stop it where it was started.',
        })
      run.cancel()
      await run.done.catch(() => undefined)
      return run.view()
    },
  )
}
