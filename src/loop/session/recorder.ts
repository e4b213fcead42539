import type { AgentSignal } from '../../model/agent/agent.ts'
import type { Attempt, AttemptEvent } from '../../model/attempt/attempt.ts'
import { isSettled } from '../../model/attempt/attempt.ts'
import type { FixEvent, NewEvent } from '../../model/session/event.ts'
import { moveIssue, type Issue } from '../../model/issue/issue.ts'
import { advanceSession, type Session, type SessionEvent } from '../../model/session/session.ts'
import { statusAfter } from '../../model/session/session-result.ts'
import { eventFor, type Announcement } from './announce.ts'
import type { Ports, SessionChange } from '../ports.ts'
import { eventsAfter, eventsBefore } from './tell.ts'

/** Writes every step of a session, row and events in one transaction, and publishes what was written. */
export interface Recorder {
  session(): Session
  attempts(): readonly Attempt[]
  announceStep(attempt: Attempt): Promise<void>
  announce(announcements: readonly Announcement[]): Promise<void>
  /** Faults when another process drives the session by now. */
  confirmOwner(): Promise<void>
  recordStep(before: Attempt, event: AttemptEvent, after: Attempt): Promise<void>
  /** Steps of several attempts and of the session itself, together. */
  recordTogether(step: JointStep): Promise<void>
  /** Tells what an agent says and does, live; nothing of it is stored. */
  publishSignal(attempt: Attempt, signal: AgentSignal): void
}

export interface JointStep {
  readonly session: SessionEvent
  readonly steps?: readonly {
    readonly before: Attempt
    readonly event: AttemptEvent
    readonly after: Attempt
  }[]
  readonly announcements?: readonly Announcement[]
  /** Other changes to issues, in the same transaction. */
  readonly issues?: SessionChange['issues']
}

export function createRecorder(session: Session, attempts: readonly Attempt[], ports: Ports): Recorder {
  let current = session
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]))
  const { clock } = ports

  const write = async (change: Omit<SessionChange, 'sessionId' | 'owner'>) => {
    const owner = current.owner ?? undefined
    const events = await ports.sessions.record({ ...change, sessionId: session.id, ...(owner && { owner }) })
    events.forEach((event) => ports.publisher.publish(event))
  }
  const toEvents = (announcements: readonly Announcement[]): readonly NewEvent[] =>
    announcements.map((announcement) => eventFor(current, clock, announcement))

  return {
    session: () => current,
    attempts: () => [...byId.values()],
    async announceStep(attempt) {
      const announcements = eventsBefore(attempt)
      if (announcements.length > 0) await write({ events: toEvents(announcements) })
    },
    async announce(announcements) {
      await write({ events: toEvents(announcements) })
    },
    confirmOwner: () => write({ events: [] }),
    async recordStep(before, event, after) {
      await write({
        attempts: [after],
        issues: issueEdits([after], current),
        events: toEvents(eventsAfter(before, event, after)),
      })
      byId.set(after.id, after)
    },
    async recordTogether({ session: event, steps = [], announcements = [], issues = [] }) {
      const next = advanceSession(current, event)
      const told = steps.flatMap(({ before, event: step, after }) => eventsAfter(before, step, after))
      await write({
        session: { ...next, updated_at: new Date(clock.now()).toISOString() },
        attempts: steps.map(({ after }) => after),
        issues: [
          ...issueEdits(
            steps.map(({ after }) => after),
            next,
          ),
          ...issues,
        ],
        events: toEvents([...announcements, ...told]),
      })
      current = next
      for (const { after } of steps) byId.set(after.id, after)
    },
    publishSignal(attempt, signal) {
      const message = signalText(signal)
      const event = eventFor(current, clock, {
        type: 'fix_issue_streaming',
        attempt,
        message,
        details: { signal },
      })
      ports.publisher.publish({ ...event, seq: null } satisfies FixEvent)
    },
  }
}

function signalText(signal: AgentSignal): string {
  if (signal.type === 'text') return signal.text
  if (signal.type === 'tool') return `${signal.name} ${signal.detail}`
  return `${signal.tokens} tokens, $${signal.cost_usd.toFixed(2)}`
}

/** A settled attempt moves its issue in the same transaction. */
function issueEdits(attempts: readonly Attempt[], session: Session): NonNullable<SessionChange['issues']> {
  return attempts.filter(isSettled).map((attempt) => ({
    id: attempt.issue_id,
    edit: (issue: Issue): Issue => settleIssue(issue, attempt, session),
  }))
}

function settleIssue(issue: Issue, attempt: Extract<Attempt, { stage: 'settled' }>, session: Session): Issue {
  const moved = moveIssue(issue, statusAfter(attempt.outcome), 'engine')
  const last = attempt.rounds.at(-1)
  const note = { ...moved, resolution_note: attempt.reason }
  if (attempt.outcome === 'false_positive')
    return { ...note, ignored: { reason: attempt.reason, until: null } }
  if (attempt.outcome !== 'fixed') return note
  return {
    ...note,
    fix_code: last?.diff.slice(0, 500) ?? null,
    fix_explanation: last?.report?.explanation ?? null,
    fix_files_modified: last?.files ?? [],
    fix_commit_sha: attempt.commit_sha,
    fix_branch: session.branch,
    fix_self_score: last?.report?.confidence ?? null,
    fix_challenger_score: last?.challenge?.score ?? null,
    evidence: attempt.evidence,
  }
}
