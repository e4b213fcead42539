import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from 'zod'
import { ReviewEventList } from '../../model/api/repositories.ts'
import { Fault } from '../../model/fault.ts'
import { ReviewId } from '../../model/id.ts'
import { streamReview, type ReviewSource } from '../events/stream-review.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { eventsOfRecord } from '../serving/running-reviews.ts'
import type { Serving } from '../serving/serving.ts'
import { lastEventId, wantsJson } from './send-stream.ts'

export const ofReview = z.object({ id: ReviewId })

export async function keptReview({ store }: Serving, id: ReviewId) {
  const review = await store.reviews.get(id)
  if (review) return review
  throw new Fault('not_found', `there is no review "${id}"`)
}

/** The events of a review, whoever ran it. */
async function sourceOf(serving: Serving, id: ReviewId): Promise<ReviewSource> {
  const run = serving.reviews.find(id)
  if (run) return run
  const events = eventsOfRecord(await keptReview(serving, id))
  return { events: () => events, live: () => [], listen: () => () => undefined }
}

export function addReviewEvents(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: '/api/reviews/{id}/events',
      summary:
        'The events of a review: a stream that goes on after Last-Event-ID, or a list with Accept: application/json',
      params: ofReview,
      query: z.object({ after: z.coerce.number().int().min(0).default(0) }),
      answers: ReviewEventList,
    },
    async ({ params: { id }, query, context }) => {
      const source = await sourceOf(serving, id)
      const after = lastEventId(context.req.header('last-event-id')) ?? query.after
      const events = source.events()
      const newest = events.at(-1)?.seq ?? 0
      if (wantsJson(context))
        return {
          schema: 'fixpoint.review-events.v1',
          review_id: id,
          events: events.filter(({ seq }) => (seq ?? 0) > after),
          live: source.live(),
        }
      const isAllKnown = after === newest && serving.reviews.find(id)?.view().state !== 'running'
      if (isAllKnown || context.req.method === 'HEAD') return new Response(null, { status: 204 })
      // A client that names an event this review does not have gets all of them.
      streamReview(source, after <= newest ? after : 0, context.env.outgoing)
      return RESPONSE_ALREADY_SENT
    },
  )
}
