import type { Store } from '../../adapters/store/index.ts'
import { redactor } from '../../app/redact/redact-exits.ts'
import { clock } from '../../app/machine.ts'
import type { ReviewListener } from '../../app/review-orders/end-review.ts'
import type { ReviewId } from '../../model/id.ts'
import { isLastOfReview, type ReviewEvent } from '../../model/review/review-event.ts'
import { NewestMap } from '../../model/newest-map.ts'
import { eventsOfRecord } from './review-views.ts'

type OnReviewEvent = (event: ReviewEvent) => void

/** What happens in reviews, whichever process runs them. */
export interface ReviewFeeds extends ReviewListener {
  /** The durable events so far; nothing for a review that nobody has begun or knows. */
  read(id: ReviewId): Promise<readonly ReviewEvent[]>
  /** What the reviewers said last, wherever they run. */
  live(id: ReviewId): readonly ReviewEvent[]
  /** Calls the listener with each durable event after the given one, and with what is said meanwhile; gives back what ends it. */
  follow(id: ReviewId, afterSeq: number, listener: OnReviewEvent): () => void
  close(): void
}

/** So much of one reviewer's live text is kept for whoever comes later, of so many reviews. */
const keptCharacters = 32_000
const keptReviews = 50
/** How often it is looked what another process has written, where the database does not tell. */
const lookMs = 1_000

interface Follower {
  readonly id: ReviewId
  readonly look: () => void
  readonly listener: OnReviewEvent
}

export function createReviewFeeds(
  store: Pick<Store, 'reviewOrders' | 'reviews' | 'watch' | 'words' | 'isOwnerAlive'>,
): ReviewFeeds {
  const said = new NewestMap<ReviewId, ReviewEvent[]>(keptReviews)
  const followers = new Set<Follower>()
  const lookAll = (id?: ReviewId): void =>
    followers.forEach((one) => (id === undefined || one.id === id) && one.look())
  // A session's id is told with its writes; a review is written without one.
  const unwatch = store.watch?.((sessionId) => sessionId === '' && lookAll())
  const read: ReviewFeeds['read'] = async (id) => {
    const stored = await store.reviewOrders.events(id)
    const review = stored.length > 0 ? null : await store.reviews.get(id)
    // One that waits to be begun has had no event yet.
    return review && review.running?.owner !== null ? eventsOfRecord(review, store) : stored
  }
  const onSaid: ReviewListener['onSaid'] = (id, agent, text) => {
    const at = new Date(clock.now()).toISOString()
    const words = { type: 'review_streaming' as const, agent, message: text, details: {} }
    const event = redactor.value({ ...words, seq: null, timestamp: at, review_id: id })
    said.set(id, [...shortened(said.get(id) ?? [], agent), event])
    followers.forEach((one) => one.id === id && one.listener(event))
  }
  const unhear = store.words?.hear(({ about, agent, text }) => onSaid(about, agent, text))
  return {
    read,
    live: (id) => said.get(id) ?? [],
    follow(id, afterSeq, listener) {
      const { look, close } = createLook(() => read(id), { afterSeq, listener })
      const follower = { id, look, listener }
      followers.add(follower)
      look()
      const timer = setInterval(look, lookMs)
      return () => {
        clearInterval(timer)
        followers.delete(follower)
        close()
      }
    },
    onChange: lookAll,
    onSaid,
    close() {
      unwatch?.()
      unhear?.()
    },
  }
}

/** Without the oldest of what this reviewer said, where that is much. */
function shortened(events: readonly ReviewEvent[], agent: string): readonly ReviewEvent[] {
  const length = events.reduce((sum, event) => sum + (event.agent === agent ? event.message.length : 0), 0)
  if (length <= keptCharacters) return events
  const oldest = events.findIndex((event) => event.agent === agent)
  return events.toSpliced(oldest, 1)
}

/** Passes on what was not passed on yet, one look at a time. */
function createLook(
  read: () => Promise<readonly ReviewEvent[]>,
  { afterSeq, listener }: { readonly afterSeq: number; readonly listener: OnReviewEvent },
) {
  let last = afterSeq
  let state: 'idle' | 'looking' | 'again' | 'over' = 'idle'
  const turn = async (): Promise<void> => {
    for (const event of await read()) {
      if (state === 'over' || (event.seq ?? 0) <= last) continue
      last = event.seq ?? 0
      listener(event)
      if (isLastOfReview(event)) state = 'over'
    }
  }
  const look = (): void => {
    if (state !== 'idle') return void (state === 'looking' && (state = 'again'))
    state = 'looking'
    // A database that is away is asked again.
    void turn()
      .catch(() => undefined)
      .then(() => {
        const isAgain = state === 'again'
        if (state !== 'over') state = 'idle'
        if (isAgain) look()
      })
  }
  return { look, close: () => void (state = 'over') }
}
