import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { EventFeeds } from './event-feeds.ts'
import type { SessionStore } from '../../loop/ports.ts'
import { isFinalEvent, type FixEvent } from '../../model/session/event.ts'
import type { SessionId } from '../../model/id.ts'
import { createWriter, type EventWriter } from './event-writer.ts'
import { beginStream } from './begin-stream.ts'

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
  /** Live text is left out for a client that still has this much to read. */
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
  readonly feeds: Pick<EventFeeds, 'watch' | 'recent'>
  readonly sessions: Pick<SessionStore, 'events'>
  readonly onError: (error: unknown) => void
}

interface OpenStream {
  flush(): void
  beat(): void
  end(): void
}

/** Events that come this close after each other are written together. */
const togetherMs = 5

/** Server-sent events, written on the raw response: a web stream in between costs twice the memory. */
export function createEventStreams(sources: Sources, given: Partial<StreamLimits> = {}): EventStreams {
  const limits = { ...defaultLimits, ...given }
  const streams = new Set<OpenStream>()
  let cut = 0
  const heart = setInterval(() => streams.forEach((stream) => stream.beat()), limits.heartbeatMs).unref()
  const flushSoon = createSoon(() => streams.forEach((stream) => stream.flush()))
  return {
    open(request) {
      const stream = openStream(request, sources, { limits, flushSoon, onCut: () => (cut += 1) })
      streams.add(stream)
      request.response.once('close', () => streams.delete(stream))
    },
    openCount: () => streams.size,
    cutCount: () => cut,
    close() {
      clearInterval(heart)
      streams.forEach((stream) => stream.end())
    },
  }
}

/** Does the work once, a little later, however often it is asked for until then. */
function createSoon(work: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      work()
    }, togetherMs)
  }
}

interface StreamParts {
  readonly limits: StreamLimits
  readonly flushSoon: () => void
  readonly onCut: () => void
}

function openStream(request: StreamRequest, sources: Sources, parts: StreamParts): OpenStream {
  const { sessionId, after, response } = request
  const writer = createWriter(response, parts.onCut)
  const follower = createFollower(request, { ...sources, ...parts, writer })
  beginStream(response, { 'fixpoint-session': sessionId })
  const unwatch = sources.feeds.watch(sessionId, after, follower.onEvent)
  response.once('close', unwatch)
  response.once('error', unwatch)
  follower.catchUp()
  return {
    flush: writer.flush,
    beat: () =>
      writer.waitingBytes() > parts.limits.maxBufferedBytes
        ? writer.cutOff()
        : response.write(': still here\n\n'),
    end: writer.end,
  }
}

type FollowerParts = Sources & StreamParts & { readonly writer: EventWriter }

/** Sends what the store has and the client lacks, then each event as it is published. */
function createFollower(
  { sessionId, after, response }: StreamRequest,
  { feeds, sessions, onError, limits, flushSoon, writer }: FollowerParts,
) {
  const { isClosed, waitingBytes, cutOff } = writer
  let [last, isCatchingUp, hasMore] = [after, true, false]
  const takeRecent = onceOnly(() => feeds.recent(sessionId))
  const send = (event: FixEvent): void => {
    last = event.seq ?? last
    writer.append(event)
    if (isFinalEvent(event)) writer.end()
    else flushSoon()
  }
  /** Each stream reads what it lacks from the store, so that nothing depends on who published what when. */
  const readStore = async (): Promise<void> => {
    isCatchingUp = true
    do {
      hasMore = false
      const events = await sessions.events(sessionId, last, eventsPerRead)
      for (const event of events) if (!isClosed()) send(event)
      writer.flush()
      if (response.writableNeedDrain && !isClosed()) await drained(response, limits.drainMs)
      hasMore ||= events.length === eventsPerRead
    } while (hasMore && !isClosed())
    isCatchingUp = false
    // A client that has events already has also read the text before them.
    if (after === 0 && !isClosed()) takeRecent().forEach(send)
  }
  const catchUp = (): void => {
    readStore().catch((error: unknown) => {
      if (!isClosed() && !isTimeout(error)) onError(error)
      cutOff()
    })
  }
  const onEvent = (event: FixEvent): void => {
    if (isClosed() || (event.seq !== null && event.seq <= last)) return
    if (isCatchingUp) hasMore ||= event.seq !== null
    else if (event.seq === null) {
      if (waitingBytes() < limits.maxTextBytes) send(event)
    } else if (waitingBytes() > limits.maxBufferedBytes) cutOff()
    else if (event.seq === last + 1) send(event)
    else catchUp()
  }
  return { catchUp, onEvent }
}

/** Gives what there is the first time, and nothing after that. */
function onceOnly<Item>(read: () => readonly Item[]): () => readonly Item[] {
  let isTaken = false
  return () => {
    if (isTaken) return []
    isTaken = true
    return read()
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

async function drained(response: ServerResponse, timeoutMs: number): Promise<void> {
  await once(response, 'drain', { signal: AbortSignal.timeout(timeoutMs) })
}
