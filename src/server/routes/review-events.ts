import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from 'zod'
import { ReviewEventList } from '../../model/api/repositories.ts'
import { Fault } from '../../model/fault.ts'
import { ReviewId } from '../../model/id.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { nothingMore, streamOf } from '../http/endpoint-definition.ts'
import { eventsOfRecord } from '../serving/running-reviews.ts'
import type { Serving } from '../serving/serving.ts'
import { lastEventId, wantsJson } from './send-stream.ts'
import type { ServerResponse } from 'node:http'
import { isLastOfReview, ReviewEvent } from '../../model/issue/review-event.ts'
import { beginStream } from '../events/begin-stream.ts'

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
  const read = async () => eventsOfRecord(await keptReview(serving, id), serving.store)
  const events = await read()
  return {
    events: () => events,
    live: () => [],
    listen: (listener) => (events.some(isLastOfReview) ? () => undefined : followRecord(read, listener)),
  }
}

const lookMs = 1_000

/** Tells the rest of a review that another process runs when that is done with it. */
function followRecord(
  read: () => Promise<readonly ReviewEvent[]>,
  listener: (event: ReviewEvent) => void,
): () => void {
  const timer = setInterval(() => {
    const passOnEnd = (events: readonly ReviewEvent[]): void => {
      if (!events.some(isLastOfReview)) return
      clearInterval(timer)
      events.slice(1).forEach(listener)
    }
    // A database that is away is asked again.
    read().then(passOnEnd, () => undefined)
  }, lookMs)
  return () => clearInterval(timer)
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
      const isAllKnown = after === newest && events.some(isLastOfReview)
      if (isAllKnown || context.req.method === 'HEAD') return new Response(null, { status: 204 })
      // A client that names an event this review does not have gets all of them.
      streamReview(source, after <= newest ? after : 0, context.env.outgoing)
      return RESPONSE_ALREADY_SENT
    },
  )
}

/** Where a review's events come from. */
interface ReviewSource {
  readonly events: () => readonly ReviewEvent[]
  readonly live: () => readonly ReviewEvent[]
  readonly listen: (listener: (event: ReviewEvent) => void) => () => void
}

const heartbeatMs = 15_000
/** What may wait for one client before it is cut off; it comes back with its last event. */
const maxBufferedBytes = 1_000_000

/** Sends every durable event of a review after the given one, what was said last, then what happens from now on. */
function streamReview(source: ReviewSource, after: number, response: ServerResponse): void {
  beginStream(response)
  const send = (event: ReviewEvent): void => {
    if (response.destroyed || response.writableEnded) return
    if (response.writableLength > maxBufferedBytes) return void response.destroy()
    if (event.seq === null && response.writableNeedDrain) return
    const id = event.seq === null ? '' : `id: ${event.seq}\n`
    response.write(`${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    if (isLastOfReview(event)) response.end()
  }
  // Nothing is awaited between reading and listening, so no event falls in between.
  const known = source.events()
  const unlisten = source.listen(send)
  known.filter(({ seq }) => seq !== null && seq > after).forEach(send)
  if (after === 0 && !known.some(isLastOfReview)) source.live().forEach(send)
  const heart = setInterval(() => response.write(': still here\n\n'), heartbeatMs).unref()
  response.once('close', () => {
    clearInterval(heart)
    unlisten()
  })
}
