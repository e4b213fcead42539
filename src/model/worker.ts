import { z } from 'zod'
import { AttemptId, ReviewId, SessionId } from './id.ts'

/** A process that takes sessions, attempts and reviews from the queue. */
export const Worker = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number().int(),
  version: z.string(),
  /** How many sessions it drives at once. */
  concurrency: z.number().int(),
  /** Those that it drives now. */
  sessions: z.array(SessionId).readonly(),
  /** The attempts that it works on now, of whatever session. */
  attempts: z.array(AttemptId).readonly().optional(),
  /** The reviews that it runs now. */
  reviews: z.array(ReviewId).readonly().optional(),
  started_at: z.string(),
  /** It finishes what it has and takes nothing more. */
  draining: z.boolean(),
})
export type Worker = z.infer<typeof Worker>
