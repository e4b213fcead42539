import type { StoredSession } from '../../loop/ports.ts'
import { isSettled } from '../../model/attempt/attempt.ts'

/** The issues of a session that did not come to their end in it. */
export const retriable = ({ attempts }: StoredSession) =>
  attempts
    .filter((attempt) => !(isSettled(attempt) && ['fixed', 'false_positive'].includes(attempt.outcome)))
    .map(({ issue_id }) => issue_id)
