import type { ServerResponse } from 'node:http'
import { isLastOfReview, type ReviewEvent } from '../../model/issue/review-event.ts'
import { beginStream } from './begin-stream.ts'

/** Where a review's events come from. */
export interface ReviewSource {
  readonly events: () => readonly ReviewEvent[]
  readonly live: () => readonly ReviewEvent[]
  readonly listen: (listener: (event: ReviewEvent) => void) => () => void
}

const heartbeatMs = 15_000
/** What may wait for one client before it is cut off; it comes back with its last event. */
const maxBufferedBytes = 1_000_000

/** Sends every durable event of a review after the given one, what was said last, then what happens from now on. */
export function streamReview(source: ReviewSource, after: number, response: ServerResponse): void {
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
