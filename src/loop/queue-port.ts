/** The ports over what several processes share: the queue of work, reviews, who takes them, and the services behind the agents. */

import type { AttemptId, RepositoryId, ReviewId, SessionId } from '../model/id.ts'
import type { Review } from '../model/issue/review.ts'
import type { ReviewEvent } from '../model/review/review-event.ts'
import type {
  HeldReview,
  NewReviewEvent,
  ReviewOrder,
  StoredReviewOrder,
} from '../model/review/review-order.ts'
import type { Worker } from '../model/worker.ts'

interface AnyEntry {
  readonly repositoryId: RepositoryId
  /** How often a worker has looked at it and could not go on with it. */
  readonly refusals: number
}

/** A reason to look at a session, or at one of its attempts that was given out. */
export interface SessionEntry extends AnyEntry {
  readonly sessionId: SessionId
  /** The attempt that is to be looked at; the session itself without it. */
  readonly attemptId?: AttemptId
}

/** A reason to look at a review that somebody asked for. */
export interface ReviewEntry extends AnyEntry {
  readonly reviewId: ReviewId
}

/** A reason to look. The rows say what is to be done, so that a lost or doubled job does no harm. */
export type QueueEntry = SessionEntry | ReviewEntry

export interface QueueTerms {
  /** Of two jobs that wait, the one with the lower turn is given out first; of the same turn, the older one. */
  readonly turn?: number
  /** Nobody gets it earlier than this. */
  readonly delayMs?: number
}

/** What jobs are about. */
export type QueueKind = 'sessions' | 'attempts' | 'reviews'

export interface Queue {
  /** Adds a job, unless one for the same session, attempt or review waits already. */
  send(job: QueueEntry, terms?: QueueTerms): Promise<void>
  /** Gives jobs to a handler until it is stopped. Only one of all workers gets a job. */
  work(request: WorkRequest): Promise<QueueTaker>
  /** How many jobs of a kind wait. */
  depth(kind: QueueKind): Promise<number>
  /** The sessions, attempts or reviews that jobs of a kind wait for. */
  waiting(kind: QueueKind): Promise<ReadonlySet<string>>
  close(): Promise<void>
}

export type WorkRequest = {
  /** How many jobs this worker handles at the same time. */
  readonly atOnce: number
} & (
  | { readonly kind: 'reviews'; readonly handle: (job: ReviewEntry) => Promise<void> }
  | {
      readonly kind: Exclude<QueueKind, 'reviews'>
      readonly handle: (job: SessionEntry) => Promise<void>
    }
)

export interface QueueTaker {
  /** Takes no more jobs, and waits for those that are being handled. */
  stop(): Promise<void>
}

/** The state of the services behind agents, which all processes share. */
export interface ProviderStore {
  /** Takes one of `most` places of a provider; null when all are taken by somebody who is alive. */
  enter(provider: string, most: number, holder: string): Promise<number | null>
  /** Says that the holder is alive and keeps its place. */
  stay(provider: string, place: number, holder: string): Promise<void>
  leave(provider: string, place: number, holder: string): Promise<void>
  /** Nobody asks the provider before then. */
  pause(provider: string, pause: ProviderPause): Promise<void>
  /** Null when it may be asked. */
  paused(provider: string): Promise<ProviderPause | null>
}

export interface ProviderPause {
  readonly untilMs: number
  readonly kind: 'rate_limited' | 'overloaded'
  readonly reason: string
}

/** Who takes sessions from the queue. */
export interface WorkerStore {
  /** Whether this process does a chore of all workers this time; each chore is done by one of them. */
  claim(chore: string, everyMs: number): Promise<boolean>
  /** Says that a worker is alive, and what it does. */
  put(worker: Worker): Promise<void>
  remove(id: string): Promise<void>
  list(): Promise<readonly SeenWorker[]>
}

export interface SeenWorker {
  readonly worker: Worker
  /** How long ago it was heard of. */
  readonly silentMs: number
}

/** Reviews that somebody asked for and that are not over. Their rows say what is to be done, and who does it. */
export interface ReviewOrderStore {
  /** Puts a review on record that this owner, or anybody, is to run. */
  add(order: ReviewOrder, review: Review, owner: string | null): Promise<void>
  /** Null when there is none, or when it is over. */
  read(id: ReviewId): Promise<StoredReviewOrder | null>
  /** All of them, the oldest first. */
  open(): Promise<readonly StoredReviewOrder[]>
  /** Makes `owner` the one who runs it; null when the number is not the newest, or it is over. */
  take(offered: HeldReview, owner: string): Promise<TakenReview | null>
  /** Lets somebody else go on with it. */
  giveBack(held: HeldReview): Promise<void>
  /** Asks whoever runs it to end it; false when it is over. */
  requestEnd(id: ReviewId): Promise<boolean>
  /** Adds a durable event; refused unless the number is the newest. */
  report(held: HeldReview, event: NewReviewEvent): Promise<void>
  /** Ends the order with its last event, and writes what the review came to where that is not written yet. */
  end(held: HeldReview, last: { readonly event: NewReviewEvent; readonly review?: Review }): Promise<void>
  /** What happened so far, in order; nothing for a review that nobody ordered. */
  events(id: ReviewId): Promise<readonly ReviewEvent[]>
}

export interface TakenReview extends StoredReviewOrder {
  readonly held: HeldReview
}
