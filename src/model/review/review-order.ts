import { z } from 'zod'
import { CommitId, RepositoryId, ReviewId } from '../id.ts'
import { AskedSetting } from '../session/session.ts'
import type { ReviewEvent } from './review-event.ts'

/** A review that somebody asked for and that is not over: what it is to look at, and how far it is. */
export const ReviewOrder = z.object({
  review_id: ReviewId,
  repository_id: RepositoryId,
  /** The commit that there was when it was asked for. */
  commit: CommitId,
  scope: z.object({
    paths: z.array(z.string()).readonly(),
    base: z.string().exactOptional(),
    pending: z.enum(['staged', 'uncommitted']).exactOptional(),
    spec: z.string().exactOptional(),
  }),
  /** Whoever runs it reads the configuration with these. */
  settings: z.array(AskedSetting).readonly(),
  /** What a person wants of whoever runs it. */
  wish: z.enum(['go_on', 'end']),
  /** How many processes in a row ended while they ran it, without any progress. */
  deaths: z.number().int(),
  /** The number of its newest event when it was taken. */
  progress: z.number().int(),
  /** What its findings have come to so far. */
  created: z.number().int(),
  changed: z.number().int(),
})
export type ReviewOrder = z.infer<typeof ReviewOrder>

/** A order as it is stored. Whoever takes it makes its number higher. */
export interface StoredReviewOrder {
  readonly order: ReviewOrder
  readonly number: number
  /** Who runs it; null while nobody has taken it. */
  readonly owner: string | null
  /** The number of its newest event; 0 when there is none. */
  readonly lastSeq: number
}

/** What whoever runs a review shows with every write: nothing is written under an older number. */
export interface HeldReview {
  readonly reviewId: ReviewId
  readonly number: number
}

/** A durable event before the store has numbered it. */
export type NewReviewEvent = Omit<ReviewEvent, 'seq' | 'review_id'>
