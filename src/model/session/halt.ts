import { z } from 'zod'

/** Why a whole session cannot go on, and until when, where that is known. */
export const SessionHalt = z.object({
  kind: z.enum([
    'billing',
    'auth',
    'quota',
    'rate_limited',
    'overloaded',
    'model_not_found',
    'tools_unavailable',
    'budget',
    'breaker',
    'clarifier',
    'disk',
    'worker',
  ]),
  reason: z.string(),
  until: z.string().nullable(),
})
export type SessionHalt = z.infer<typeof SessionHalt>

/**
 * Money and quota are worth waiting for (4); an obstacle that a person has to repair first could not be evaluated (3);
 * a service that lets nobody through, and disk space, may be there again later (75).
 */
export const exitOfHalt: Readonly<Record<SessionHalt['kind'], number>> = {
  billing: 4,
  quota: 4,
  budget: 4,
  auth: 3,
  model_not_found: 3,
  tools_unavailable: 3,
  breaker: 3,
  clarifier: 3,
  worker: 3,
  rate_limited: 75,
  overloaded: 75,
  disk: 75,
}

/** Halts that pass by themselves, at the time that they name. */
export const passesByItself = ({ kind }: SessionHalt): boolean =>
  kind === 'quota' || kind === 'rate_limited' || kind === 'overloaded'
