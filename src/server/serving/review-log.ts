import type { ReviewEvent } from '../../model/issue/review-event.ts'

type Said = Pick<ReviewEvent, 'type' | 'message' | 'details'> & { readonly agent?: string }
type Unnumbered = Omit<ReviewEvent, 'seq' | 'timestamp' | 'review_id'>

/** The events of a review so far: a short list that is kept, and the newest text of each reviewer. */
export interface ReviewLog {
  /** Adds a durable event. */
  readonly add: (said: Said) => void
  /** Passes on what a reviewer says; live and lossy. */
  readonly say: (agent: string, text: string) => void
  readonly events: () => readonly ReviewEvent[]
  readonly live: () => readonly ReviewEvent[]
  /** Calls the listener with every event from now on; returns a function that ends it. */
  readonly listen: (listener: (event: ReviewEvent) => void) => () => void
}

/** So much of one reviewer's live text is kept for whoever comes later. */
const keptCharacters = 32_000

export function createReviewLog(complete: (event: Unnumbered) => Omit<ReviewEvent, 'seq'>): ReviewLog {
  const events: ReviewEvent[] = []
  const live = new Map<string, ReviewEvent[]>()
  const listeners = new Set<(event: ReviewEvent) => void>()
  const notify = (event: ReviewEvent): void => listeners.forEach((listener) => listener(event))
  return {
    add({ agent = null, ...said }: Omit<Said, 'agent'> & { readonly agent?: string | null }) {
      const event = { ...complete({ ...said, agent }), seq: events.length + 1 }
      events.push(event)
      notify(event)
    },
    say(agent, text) {
      const event = {
        ...complete({ type: 'review_streaming', agent, message: text, details: {} }),
        seq: null,
      }
      const said = live.get(agent) ?? []
      live.set(agent, said)
      said.push(event)
      let length = said.reduce((sum, { message }) => sum + message.length, 0)
      while (length > keptCharacters && said.length > 1) length -= said.shift()?.message.length ?? 0
      notify(event)
    },
    events: () => events,
    live: () => [...live.values()].flat(),
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
