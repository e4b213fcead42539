import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from 'zod'
import { ReviewEventList } from '../../model/api/repositories.ts'
import { Fault } from '../../model/fault.ts'
import { ReviewId } from '../../model/id.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { nothingMore, streamOf } from '../http/endpoint-definition.ts'
import type { Serving } from '../serving/serving.ts'
import { lastEventId, wantsJson } from './send-stream.ts'
import type { ServerResponse } from 'node:http'
import { isLastOfReview, ReviewEvent } from '../../model/review/review-event.ts'
import { beginStream } from '../events/begin-stream.ts'

export const ofReview = z.object({ id: ReviewId })

export async function keptReview({ store }: Serving, id: ReviewId) {
  const review = await store.reviews.get(id)
  if (review) return review
  throw new Fault('not_found', `there is no review "${id}"`)
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
      others: [streamOf(ReviewEvent), nothingMore],
    },
    async ({ params: { id }, query, context }) => {
      await keptReview(serving, id)
      const { reviewFeeds: feeds } = serving
      const after = lastEventId(context.req.header('last-event-id')) ?? query.after
      const events = await feeds.read(id)
      const newest = events.at(-1)?.seq ?? 0
      if (wantsJson(context))
        return {
          schema: 'fixpoint.review-events.v1',
          review_id: id,
          events: events.filter(({ seq }) => (seq ?? 0) > after),
          live: events.some(isLastOfReview) ? [] : feeds.live(id),
        }
      const isAllKnown = after === newest && events.some(isLastOfReview)
      if (isAllKnown || context.req.method === 'HEAD') return new Response(null, { status: 204 })
      // A client that names an event this review does not have gets all of them.
      const missed = after <= newest ? events.filter(({ seq }) => (seq ?? 0) > after) : events
      streamReview({ id, feeds, missed, newest, isNew: after === 0 || after > newest }, context.env.outgoing)
      return RESPONSE_ALREADY_SENT
    },
  )
}

const heartbeatMs = 15_000
/** What may wait for one client before it is cut off; it comes back with its last event. */
const maxBufferedBytes = 1_000_000

interface ReviewStream {
  readonly id: ReviewId
  readonly feeds: Serving['reviewFeeds']
  /** The durable events so far that the client does not have. */
  readonly missed: readonly ReviewEvent[]
  /** The number of the newest durable event so far. */
  readonly newest: number
  /** Whether the client has heard nothing yet. */
  readonly isNew: boolean
}

/** Sends what the client missed, then what was said last by reviewers that it knows by now, then what happens from now on. */
function streamReview({ id, feeds, missed, newest, isNew }: ReviewStream, response: ServerResponse): void {
  beginStream(response)
  const send = (event: ReviewEvent): void => {
    if (response.destroyed || response.writableEnded) return
    if (response.writableLength > maxBufferedBytes) return void response.destroy()
    if (event.seq === null && response.writableNeedDrain) return
    const number = event.seq === null ? '' : `id: ${event.seq}\n`
    response.write(`${number}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    if (isLastOfReview(event)) response.end()
  }
  missed.forEach(send)
  if (isNew) feeds.live(id).forEach(send)
  const unfollow = feeds.follow(id, newest, send)
  const heart = setInterval(() => response.write(': still here\n\n'), heartbeatMs).unref()
  response.once('close', () => {
    clearInterval(heart)
    unfollow()
  })
}
