import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { EventFeeds } from '../app/serve/event-feeds.ts'
import type { SessionStore } from '../loop/ports.ts'
import { isFinalEvent, type FixEvent } from '../model/event.ts'
import type { SessionId } from '../model/id.ts'

export interface StreamRequest {
  readonly sessionId: SessionId
  /** The newest event that the client has. */
  readonly after: number
  readonly response: ServerResponse
}

export interface EventStreams {
  /** Sends every durable event after the given one, once and in order, then what happens from now on. */
  open(request: StreamRequest): void
  openCount(): number
  /** How many clients were too slow and were cut off. */
  cutCount(): number
  close(): void
}

export interface StreamLimits {
  /** What may wait in memory for one client, before it is cut off; it comes back with its last event. */
  readonly maxBufferedBytes: number
  /** Live text is left out for a client that has this much before it. */
  readonly maxTextBytes: number
  readonly heartbeatMs: number
  readonly drainMs: number
}

const defaultLimits: StreamLimits = {
  maxBufferedBytes: 1_000_000,
  maxTextBytes: 64_000,
  heartbeatMs: 15_000,
  drainMs: 30_000,
}

const eventsPerRead = 200

interface Sources {
  readonly feeds: Pick<EventFeeds, 'watch'>
  readonly sessions: Pick<SessionStore, 'events'>
  readonly onError: (error: unknown) => void
}

interface OpenStream {
  beat(): void
  end(): void
}

/** Server-sent events, written on the raw response: a web stream in between costs twice the memory. */
export function createEventStreams(sources: Sources, given: Partial<StreamLimits> = {}): EventStreams {
  const limits = { ...defaultLimits, ...given }
  const streams = new Set<OpenStream>()
  let cut = 0
  const timer = setInterval(() => streams.forEach((stream) => stream.beat()), limits.heartbeatMs).unref()
  return {
    open(request) {
      const stream = openStream(request, sources, limits, () => (cut += 1))
      streams.add(stream)
      request.response.once('close', () => streams.delete(stream))
    },
    openCount: () => streams.size,
    cutCount: () => cut,
    close() {
      clearInterval(timer)
      streams.forEach((stream) => stream.end())
    },
  }
}

function openStream(
  { sessionId, after, response }: StreamRequest,
  { feeds, sessions, onError }: Sources,
  limits: StreamLimits,
  onCut: () => void,
): OpenStream {
  let last = after
  let isCatchingUp = true
  let hasMore = false
  const isClosed = (): boolean => response.destroyed || response.writableEnded

  const cutOff = (): void => {
    if (isClosed()) return
    onCut()
    response.destroy()
  }
  const end = (): void => {
    if (!isClosed()) response.end()
  }
  const send = (event: FixEvent): void => {
    last = event.seq ?? last
    response.write(frameOf(event))
    if (isFinalEvent(event)) end()
  }
  /** Each reads what it lacks from the store, so that nothing depends on who published what when. */
  const catchUp = async (): Promise<void> => {
    isCatchingUp = true
    do {
      hasMore = false
      const events = await sessions.events(sessionId, last, eventsPerRead)
      for (const event of events) if (!isClosed()) send(event)
      if (response.writableNeedDrain && !isClosed()) await drained(response, limits.drainMs)
      hasMore ||= events.length === eventsPerRead
    } while (hasMore && !isClosed())
    isCatchingUp = false
  }
  const startCatchingUp = (): void => {
    catchUp().catch((error: unknown) => {
      if (!isClosed() && !isTimeout(error)) onError(error)
      cutOff()
    })
  }
  const onEvent = (event: FixEvent): void => {
    if (isClosed()) return
    if (event.seq === null) {
      if (!isCatchingUp && response.writableLength < limits.maxTextBytes) response.write(frameOf(event))
      return
    }
    if (event.seq <= last) return
    if (isCatchingUp) hasMore = true
    else if (response.writableLength > limits.maxBufferedBytes) cutOff()
    else if (event.seq === last + 1) send(event)
    else startCatchingUp()
  }

  response.writeHead(200, { ...streamHeaders, 'fixpoint-session': sessionId })
  response.write('retry: 1000\n\n')
  const unwatch = feeds.watch(sessionId, after, onEvent)
  response.once('close', unwatch)
  response.once('error', unwatch)
  startCatchingUp()
  return {
    beat: () =>
      response.writableLength > limits.maxBufferedBytes ? cutOff() : response.write(': still here\n\n'),
    end,
  }
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

async function drained(response: ServerResponse, timeoutMs: number): Promise<void> {
  await once(response, 'drain', { signal: AbortSignal.timeout(timeoutMs) })
}

const frames = new WeakMap<FixEvent, Buffer>()

/** One event as it stands on the wire, made once for all who get it. */
function frameOf(event: FixEvent): Buffer {
  const known = frames.get(event)
  if (known) return known
  const id = event.seq === null ? '' : `id: ${event.seq}\n`
  const frame = Buffer.from(`${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  frames.set(event, frame)
  return frame
}
