import type { FollowState } from '../../../src/client/index.ts'
import type { FixEvent } from '../../../src/model/session/event.ts'
import { api } from '../api/client.ts'
import { shareStream } from './share-stream.ts'

interface Following {
  /** The newest durable event that the page has. */
  readonly lastSeq: () => number
  /** Gets each durable event once and in order, and live text in between. */
  readonly take: (event: FixEvent) => void
  readonly onState: (state: FollowState) => void
  readonly onError: (error: unknown) => void
}

type Message = { readonly event: FixEvent } | { readonly state: FollowState }

/** Follows a session together with the other pages that show it: one of them reads the stream for all. Gives a function that ends it. */
export function followTogether(
  sessionId: string,
  { lastSeq, take, onState, onError }: Following,
): () => void {
  let isReading = true
  let later: FixEvent[] = []
  /** Reads the events from before this page was there, or those that it missed. */
  const readMissing = async () => {
    isReading = true
    try {
      const isFirst = lastSeq() === 0
      const { events, live } = await api.events(sessionId, lastSeq())
      events.forEach(take)
      if (isFirst) live.forEach(take)
    } catch {
      // The stream brings everything, or reports why it cannot.
    }
    isReading = false
    const waiting = later
    later = []
    waiting.forEach(onEvent)
  }
  const onEvent = (event: FixEvent) => {
    if (isReading) later.push(event)
    else if (event.seq === null) take(event)
    else if (event.seq === lastSeq() + 1) take(event)
    else if (event.seq > lastSeq()) {
      later.push(event)
      void readMissing()
    }
  }
  let stop: () => void = () => undefined
  let hasLeft = false
  void readMissing().then(() => {
    if (hasLeft) return
    stop = shareStream<Message>({
      name: `fixpoint-${sessionId}`,
      lead: (signal, emit) =>
        api
          .follow({
            sessionId,
            after: lastSeq(),
            signal,
            onEvent: (event) => emit({ event }),
            onState: (state) => emit({ state }),
          })
          .catch(onError),
      onMessage: (message) => ('event' in message ? onEvent(message.event) : onState(message.state)),
    })
  })
  return () => {
    hasLeft = true
    stop()
  }
}
