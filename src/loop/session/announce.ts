import type { Attempt } from '../../model/attempt/attempt.ts'
import type { EventType, NewEvent } from '../../model/session/event.ts'
import type { Session } from '../../model/session/session.ts'
import type { Clock } from '../ports.ts'

export interface Announcement {
  readonly type: EventType
  readonly message: string
  readonly attempt?: Attempt
  readonly round?: number
  readonly commit_sha?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Fills an announcement up to the event that every face of Fixpoint shows. */
export function eventFor(session: Session, clock: Clock, given: Announcement): NewEvent {
  const { attempt } = given
  return {
    type: given.type,
    timestamp: new Date(clock.now()).toISOString(),
    session_id: session.id,
    issue_id: attempt?.issue_id ?? null,
    issue_code: attempt?.issue_code ?? null,
    issue_index: attempt ? attempt.position + 1 : null,
    total_issues: session.issue_ids.length,
    round: given.round ?? (attempt && 'round' in attempt ? attempt.round : null),
    commit_sha: given.commit_sha ?? null,
    message: given.message,
    details: { ...given.details },
  }
}
