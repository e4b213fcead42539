import type { Attempt } from '../attempt/attempt.ts'
import { addSpent, nothingSpent, spentOn, type Spent } from '../attempt/spending.ts'
import type { Session } from './session.ts'

/** What a session has used so far: for asking, for every attempt, and for runs of which nothing was kept. */
export const spentInSession = (
  { clarified, spent_in_vain }: Pick<Session, 'clarified' | 'spent_in_vain'>,
  attempts: readonly Attempt[],
): Spent =>
  [clarified?.spent ?? nothingSpent, spent_in_vain ?? nothingSpent, ...attempts.map(spentOn)].reduce(
    addSpent,
    nothingSpent,
  )
