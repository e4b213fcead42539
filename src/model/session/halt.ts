import { z } from 'zod'

/** Why a whole session cannot go on, and until when, where that is known. */
export const SessionHalt = z.object({
  kind: z.enum(['billing', 'auth', 'quota', 'budget', 'breaker', 'clarifier', 'disk']),
  reason: z.string(),
  until: z.string().nullable(),
})
export type SessionHalt = z.infer<typeof SessionHalt>

/** Money and quota are worth waiting for (4); what a person has to repair first could not be evaluated (3); room will be there again (75). */
export const exitOfHalt: Readonly<Record<SessionHalt['kind'], number>> = {
  billing: 4,
  quota: 4,
  budget: 4,
  auth: 3,
  breaker: 3,
  clarifier: 3,
  disk: 75,
}
