import { z } from 'zod'

/** What happens in a review, as every face shows it. Durable events carry a gap-free `seq` per review; live text has none. */
export const ReviewEvent = z.object({
  type: z.enum(['review_started', 'review_streaming', 'review_result', 'review_completed', 'review_error']),
  seq: z.number().int().nullable(),
  timestamp: z.string(),
  review_id: z.string(),
  /** The reviewer that it is about; null for the review as a whole. */
  agent: z.string().nullable(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
})
export type ReviewEvent = z.infer<typeof ReviewEvent>

/** Exactly one of these is the last event of a review. */
export const isLastOfReview = ({ type }: Pick<ReviewEvent, 'type'>): boolean =>
  type === 'review_completed' || type === 'review_error'

/** `1 finding`, `2 findings`. */
export const countFindings = (count: number): string => `${count} ${count === 1 ? 'finding' : 'findings'}`
