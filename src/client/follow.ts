import { isFinalEvent, type FixEvent } from '../model/session/event.ts'
import { isLastOfReview, type ReviewEvent } from '../model/review/review-event.ts'
import type { Pulse } from '../model/api/overview.ts'
import { createStreamParser } from './sse.ts'
import { ApiError, type ClientPorts, type Send } from './transport.ts'

/** `waiting` is between two tries; nothing that happens meanwhile is lost. */
export type FollowState = 'connecting' | 'live' | 'waiting' | 'ended'

export interface FollowRequest {
  readonly sessionId: string
  /** The newest durable event that is known already; 0 to get them all. */
  readonly after?: number
  readonly signal: AbortSignal
  /** Each durable event once and in order; live text (without `seq`) in between, while it is available. */
  readonly onEvent: (event: FixEvent) => void
  readonly onState?: (state: FollowState) => void
}

const firstWaitMs = 250
const longestWaitMs = 5_000
/** The server sends a heartbeat every 15 seconds; a stream that is silent for longer is dead. */
const silenceMs = 40_000

/** Follows a session to its end, over lost connections and restarts of the server. Ends early only by its signal, or when refused. */
export async function followEvents(
  send: Send,
  { wait }: Pick<ClientPorts, 'wait'>,
  request: FollowRequest,
): Promise<void> {
  const { signal, onEvent, onState = () => undefined } = request
  let last = request.after ?? 0
  await keepReading({ wait, signal, onState }, async (onOpen) => {
    onState('connecting')
    for await (const event of readEvents({ send, wait }, request, last)) {
      if (event === 'open') {
        onOpen()
        continue
      }
      if (event.seq !== null && event.seq <= last) continue
      // A hole would mean that an event was lost, so the missing events are asked for again.
      if (event.seq !== null && event.seq > last + 1) return 'broken'
      last = event.seq ?? last
      onEvent(event)
      if (isFinalEvent(event)) return 'done'
    }
    return 'broken'
  })
}

interface KeptReading {
  readonly wait: ClientPorts['wait']
  readonly signal: AbortSignal
  readonly onState?: ((state: FollowState) => void) | undefined
}

/** Reads a stream again whenever it breaks, later after each try in vain: until it is done, refused or given up. */
async function keepReading(
  { wait, signal, onState = () => undefined }: KeptReading,
  read: (onOpen: () => void) => Promise<'done' | 'broken'>,
): Promise<void> {
  let waitMs = firstWaitMs
  const onOpen = (): void => {
    onState('live')
    waitMs = firstWaitMs
  }
  while (!signal.aborted) {
    try {
      if ((await read(onOpen)) === 'done') return onState('ended')
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Finished) return onState('ended')
      if (error instanceof ApiError && error.status < 500 && !error.problem.retryable) throw error
    }
    onState('waiting')
    await wait(waitMs, signal)
    waitMs = Math.min(waitMs * 2, longestWaitMs)
  }
}

/** The session is over and everything of it is known. */
class Finished extends Error {}

const readEvents = (
  ports: StreamPorts,
  { sessionId, signal }: FollowRequest,
  after: number,
): AsyncGenerator<FixEvent | 'open'> =>
  readStream(ports, {
    path: `/api/sessions/${sessionId}/events`,
    headers: { 'last-event-id': String(after) },
    signal,
  })

export interface FollowReview {
  readonly reviewId: string
  readonly signal: AbortSignal
  /** Each durable event once and in order; live text (without `seq`) in between. */
  readonly onEvent: (event: ReviewEvent) => void
}

/** Follows a review to its end, over lost connections; ends early by its signal, or when the review is not known. */
export async function followReview(
  ports: StreamPorts,
  { reviewId, signal, onEvent }: FollowReview,
): Promise<void> {
  let last = 0
  await keepReading({ wait: ports.wait, signal }, async (onOpen) => {
    const stream = readStream<ReviewEvent>(ports, {
      path: `/api/reviews/${reviewId}/events`,
      headers: { 'last-event-id': String(last) },
      signal,
    })
    for await (const event of stream) {
      if (event === 'open') onOpen()
      if (event === 'open' || (event.seq !== null && event.seq <= last)) continue
      last = event.seq ?? last
      onEvent(event)
      if (isLastOfReview(event)) return 'done'
    }
    return 'broken'
  })
}

type StreamPorts = Pick<ClientPorts, 'wait'> & { readonly send: Send }

export interface FollowOverview {
  readonly signal: AbortSignal
  /** The running and waiting sessions of all repositories: at once, and whenever they change. */
  readonly onPulse: (pulse: Pulse) => void
  readonly onState?: (state: FollowState) => void
}

/** Follows what happens in all repositories, over lost connections, until the signal. */
export async function followOverview(ports: StreamPorts, request: FollowOverview): Promise<void> {
  const { signal, onPulse, onState } = request
  await keepReading({ wait: ports.wait, signal, onState }, async (onOpen) => {
    for await (const pulse of readStream<Pulse>(ports, { path: '/api/overview/events', signal })) {
      if (pulse === 'open') onOpen()
      else onPulse(pulse)
    }
    return 'broken'
  })
}

interface StreamPlace {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

async function* readStream<Message>(
  { send, wait }: StreamPorts,
  { path, headers = {}, signal }: StreamPlace,
): AsyncGenerator<Message | 'open'> {
  const cut = new AbortController()
  const response = await send(path, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: AbortSignal.any([signal, cut.signal]),
  })
  if (response.status === 204 || !response.body) throw new Finished()
  yield 'open'
  const parser = createStreamParser()
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  try {
    for (;;) {
      const chunk = await beforeSilence(reader.read(), wait)
      if (!chunk || chunk.done) return
      const bytes = chunk.value as Uint8Array
      for (const { data } of parser.push(decoder.decode(bytes, { stream: true })))
        yield JSON.parse(data) as Message
    }
  } finally {
    cut.abort()
  }
}

/** What arrives in time, else null. */
async function beforeSilence<Value>(
  coming: Promise<Value>,
  wait: ClientPorts['wait'],
): Promise<Value | null> {
  const over = new AbortController()
  try {
    return await Promise.race([coming, wait(silenceMs, over.signal).then(() => null)])
  } finally {
    over.abort()
  }
}
