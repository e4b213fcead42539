import { z } from 'zod'
import { AttemptId } from '../id.ts'

/** A person's request to a session that another process drives; that process reads it within a second. */
export const SessionNote = z.discriminatedUnion('kind', [
  /** Begin nothing new, and rest; asked again, end what runs. */
  z.object({ kind: z.literal('stop') }),
  /** What was decided about the held patch of one round. */
  z.object({
    kind: z.literal('answer'),
    attempt_id: AttemptId,
    round: z.number().int(),
    answer: z.union([z.object({ approve: z.literal(true) }), z.object({ reject: z.string() })]),
    by: z.string(),
  }),
])
export type SessionNote = z.infer<typeof SessionNote>
