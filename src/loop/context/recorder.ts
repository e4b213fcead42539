import type { AgentUpdate } from '../../model/agent/agent.ts'
import { advance } from '../../model/attempt/advance-attempt.ts'
import type { Attempt, AttemptEvent, Outcome } from '../../model/attempt/attempt.ts'
import { isSettled } from '../../model/attempt/attempt.ts'
import { isFinalEvent, type FixEvent, type NewEvent } from '../../model/session/event.ts'
import { moveIssue, type Issue } from '../../model/issue/issue.ts'
import { advanceSession, type Session, type SessionEvent } from '../../model/session/session.ts'
import { statusAfter } from '../../model/session/outcome-table.ts'
import { countIssues } from '../../model/session/session-result.ts'
import { fixedFields } from '../../model/session/fixed-fields.ts'
import type { CheckOutput, Ports, SessionChange, StoredSession } from '../ports.ts'
import { completeEvent, eventsAfter, eventsBefore, type EventDraft } from './step-events.ts'

/** Writes every step of a session, row and events in one transaction, and publishes what was written. */
export interface Recorder {
  session(): Session
  attempts(): readonly Attempt[]
  /** Writes the events that say which step is about to be taken, and how long such a step took before. */
  recordStart(attempt: Attempt, usualMs?: Promise<number | null> | null): Promise<void>
  recordEvents(events: readonly EventDraft[]): Promise<void>
  /** Publishes what goes on for the whole session now; nothing of it is stored. */
  publishEvent(event: EventDraft): void
  /** Faults when another process drives the session by now. */
  confirmOwner(): Promise<void>
  recordStep(step: AttemptStep): Promise<void>
  /** Takes over what another process has recorded of an attempt that was given out. */
  adopt(attempt: Attempt): void
  /** Steps of several attempts and of the session itself, together. */
  recordTogether(step: JointStep): Promise<void>
  /** Publishes what an agent says and does, live; nothing of it is stored. A wait is an event of its own (`recordWait`). */
  publishUpdate(attempt: Attempt, update: AgentUpdate): void
  /** Publishes what a check prints, live, for one attempt or for all that land together. */
  publishOutput(attempt: Attempt | null, output: CheckOutput): void
}

/** One move of one attempt: where it was, what happened, where it is now. */
export interface AttemptStep {
  readonly before: Attempt
  readonly event: AttemptEvent
  readonly after: Attempt
}

export const stepOf = (before: Attempt, event: AttemptEvent): AttemptStep => ({
  before,
  event,
  after: advance(before, event),
})

export interface JointStep {
  readonly session: SessionEvent
  readonly steps?: readonly AttemptStep[]
  readonly events?: readonly EventDraft[]
  /** Other changes to issues, in the same transaction. */
  readonly issues?: SessionChange['issues']
}

export interface RecorderPorts extends Pick<Ports, 'publisher'> {
  readonly sessions: Pick<Ports['sessions'], 'record'>
  readonly clock: Pick<Ports['clock'], 'now'>
}

export function createRecorder({ session, attempts }: StoredSession, ports: RecorderPorts): Recorder {
  let current = session
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]))
  const { clock } = ports

  const { write: writeFor, storeMs } = createWriter(ports)
  const write = (change: WrittenChange): Promise<void> => writeFor(current, change)
  const toEvents = (drafts: readonly EventDraft[]): readonly NewEvent[] =>
    drafts.map((draft) => withStoreTime(completeEvent(current, clock, draft), storeMs()))

  return {
    session: () => current,
    attempts: () => [...byId.values()],
    async recordStart(attempt, usualMs = null) {
      const drafts = eventsBefore(attempt, usualMs && (await usualMs))
      if (drafts.length > 0) await write({ events: toEvents(drafts) })
    },
    recordEvents: (drafts) => write({ events: toEvents(drafts) }),
    publishEvent: (draft) => ports.publisher.publish({ ...completeEvent(current, clock, draft), seq: null }),
    confirmOwner: () => write({ events: [] }),
    async recordStep({ before, event, after }) {
      await write({
        attempts: [after],
        issues: issueEdits([after], current),
        events: toEvents(eventsAfter(before, event, after)),
      })
      byId.set(after.id, after)
    },
    adopt: (attempt) => void byId.set(attempt.id, attempt),
    async recordTogether(step) {
      const updated_at = new Date(clock.now()).toISOString()
      const next = { ...advanceSession(current, step.session), updated_at }
      const { moved, drafts } = jointMoves(step, [...byId.values()])
      await write({
        session: next,
        attempts: moved,
        issues: [...issueEdits(moved, next), ...(step.issues ?? [])],
        events: toEvents(drafts),
      })
      current = next
      for (const attempt of moved) byId.set(attempt.id, attempt)
    },
    ...livePublishing((draft) =>
      ports.publisher.publish({ ...completeEvent(current, clock, draft), seq: null } satisfies FixEvent),
    ),
  }
}

type WrittenChange = Omit<SessionChange, 'sessionId' | 'owner'>

/** Writes changes of a session for its owner, publishes their events, and knows how long all of that writing took. */
function createWriter({ sessions, publisher, clock }: RecorderPorts) {
  let spentMs = 0
  return {
    async write({ id, owner }: Session, change: WrittenChange): Promise<void> {
      const startedMs = clock.now()
      const events = await sessions.record({ ...change, sessionId: id, ...(owner && { owner }) })
      spentMs += Math.max(0, clock.now() - startedMs)
      events.forEach((event) => publisher.publish(event))
    },
    storeMs: () => spentMs,
  }
}

/** The last event of a session says how long its records took. */
const withStoreTime = (event: NewEvent, storeMs: number): NewEvent =>
  isFinalEvent(event) ? { ...event, details: { ...event.details, store_ms: storeMs } } : event

/** The attempts that a joint step moves, and the events about it; the last event of a session comes last. */
function jointMoves({ session, steps: given = [], events = [] }: JointStep, attempts: readonly Attempt[]) {
  const hasEnded = session.type === 'ended'
  const steps = hasEnded ? [...given, ...lastSteps(attempts, given)] : given
  const ofSteps = steps.flatMap(({ before, event, after }) => eventsAfter(before, event, after))
  const drafts = hasEnded
    ? [...ofSteps, ...events.map((draft) => withCounts(draft, attempts, steps))]
    : [...events, ...ofSteps]
  return { moved: steps.map(({ after }) => after), drafts }
}

/** What the last event of a session says of all its issues. */
function withCounts(
  draft: EventDraft,
  attempts: readonly Attempt[],
  steps: readonly AttemptStep[],
): EventDraft {
  const moved = new Map(steps.map(({ after }) => [after.id, after]))
  const counts = countIssues(attempts.map((attempt) => moved.get(attempt.id) ?? attempt))
  return { ...draft, details: { ...counts, ...draft.details } }
}

/** A session that ends leaves no attempt open: nobody could ever go on with it, and its issue would be held for ever. */
function lastSteps(attempts: readonly Attempt[], given: readonly AttemptStep[]): readonly AttemptStep[] {
  const moved = new Set(given.map(({ after }) => after.id))
  const open = attempts.filter((attempt) => !isSettled(attempt) && !moved.has(attempt.id))
  return open.map((attempt) =>
    stepOf(attempt, {
      type: 'stopped',
      outcome: 'not_evaluated',
      reason: `internal fault: the session ended while this attempt was ${attempt.stage}`,
    }),
  )
}

/** Settles every attempt that is still open, for one reason. */
export async function settleOpenAttempts(
  recorder: Pick<Recorder, 'attempts' | 'recordStep'>,
  { outcome, reason }: { readonly outcome: Outcome; readonly reason: string },
): Promise<void> {
  for (const attempt of recorder.attempts())
    if (!isSettled(attempt)) await recorder.recordStep(stepOf(attempt, { type: 'stopped', outcome, reason }))
}

const livePublishing = (
  publish: (draft: EventDraft) => void,
): Pick<Recorder, 'publishUpdate' | 'publishOutput'> => ({
  publishUpdate(attempt, update) {
    if (update.type !== 'waiting') publish(updateDraft(attempt, update))
  },
  publishOutput: (attempt, output) => publish(outputDraft(attempt, output)),
})

const outputDraft = (attempt: Attempt | null, { name, text }: CheckOutput): EventDraft => ({
  type: 'fix_issue_streaming',
  ...(attempt && { attempt }),
  message: text,
  details: { signal: { type: 'check', name } },
})

type LiveUpdate = Exclude<AgentUpdate, { type: 'waiting' }>

/** An agent's update as an event. */
function updateDraft(attempt: Attempt, update: LiveUpdate): EventDraft {
  if (update.type === 'refused_host')
    return {
      type: 'fix_network_refused',
      attempt,
      message: `tried to reach ${update.host}, which the jail does not let through; sandbox.allow_hosts would`,
      details: { host: update.host },
    }
  return { type: 'fix_issue_streaming', attempt, message: updateText(update), details: { signal: update } }
}

function updateText(update: Exclude<LiveUpdate, { type: 'refused_host' }>): string {
  if (update.type === 'text') return update.text
  if (update.type === 'tool') return `${update.name} ${update.detail}`
  return `${update.tokens} tokens, $${update.cost_usd.toFixed(2)}`
}

/** A settled attempt moves its issue in the same transaction. */
function issueEdits(attempts: readonly Attempt[], session: Session): NonNullable<SessionChange['issues']> {
  return attempts.filter(isSettled).map((attempt) => ({
    id: attempt.issue_id,
    edit: (issue: Issue): Issue => issueAfter(issue, attempt, session),
  }))
}

function issueAfter(issue: Issue, attempt: Extract<Attempt, { stage: 'settled' }>, session: Session): Issue {
  const moved = moveIssue(issue, statusAfter(attempt.outcome), 'engine')
  const note = { ...moved, resolution_note: attempt.reason }
  if (attempt.outcome === 'false_positive')
    return { ...note, ignored: { reason: attempt.reason, until: null } }
  if (attempt.outcome !== 'fixed') return note
  return { ...note, ...fixedFields(attempt, session) }
}
