import { advance } from '../model/advance-attempt.ts'
import { isResting, isSettled, type Attempt } from '../model/attempt.ts'
import { Fault } from '../model/fault.ts'
import type { AttemptId, IssueId } from '../model/id.ts'
import type { Issue } from '../model/issue.ts'
import { isOver, type SessionEvent } from '../model/session.ts'
import { exitCodeFor } from '../model/session-result.ts'
import { finishLanding, landTrain, type Landed, type LandingContext } from './land.ts'
import type { Ports, StoredSession } from './ports.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { runAttempt } from './run-attempt.ts'
import { nextToStart, nextTrain } from './schedule.ts'
import { createSlots } from './slots.ts'
import { createVerifier } from './verify.ts'

export interface SessionSignals {
  /** Start nothing new: running steps finish, the session stays resumable. */
  readonly stop: AbortSignal
  /** End running steps now; the session stays resumable. */
  readonly abort: AbortSignal
}

/** Drives a session to its end, or to where it was stopped. Resuming is calling this again with what is stored. */
export async function runSession(
  stored: StoredSession,
  ports: Ports,
  signals: SessionSignals,
): Promise<StoredSession> {
  const recorder = createRecorder(stored.session, stored.attempts, ports)
  const issues = new Map((await ports.issues.get(stored.session.issue_ids)).map((issue) => [issue.id, issue]))
  const verifier = createVerifier(ports.checks, stored.session.options.commands, stored.session.base)
  const slots = createSlots(stored.session.options.concurrency)
  const context: LandingContext = { recorder, verifier, slots, issues, ports, signal: signals.abort }
  const stopReason = await drive(context, signals)
  const counted = verifier.count()
  if (counted > 0) await recorder.recordTogether({ session: { type: 'verified', count: counted } })
  await endOrRelease(recorder, ports, stopReason)
  // A process that was killed between accepting and tidying up left a workspace that no attempt opens again.
  if (isOver(recorder.session())) for (const { id } of recorder.attempts()) await ports.workspaces.close(id)
  return { session: recorder.session(), attempts: recorder.attempts() }
}

/** Why the session could not go on, when it could not. */
type StopReason = { readonly reason: string; readonly branchMoved: boolean } | null

/** Starts attempts and landings as soon as they can start, without barriers; leaves nothing running behind. */
async function drive(context: LandingContext, signals: SessionSignals): Promise<StopReason> {
  const halt = new AbortController()
  const inner = { stop: signals.stop, abort: AbortSignal.any([signals.abort, halt.signal]) }
  const running = new Map<AttemptId, Promise<void>>()
  const landings = new Set<Promise<Landed>>()
  try {
    const resumed = await finishLanding(context)
    if ('branchMoved' in resumed) return { reason: resumed.branchMoved, branchMoved: true }
    for (;;) {
      const isStopping = signals.stop.aborted || signals.abort.aborted
      if (!isStopping) startWhatCan(running, landings, { ...context, signal: inner.abort }, inner)
      if (running.size === 0 && landings.size === 0)
        return isStopping ? { reason: 'stopped', branchMoved: false } : null
      const ended = await Promise.race([...running.values(), ...landings])
      if (ended && 'branchMoved' in ended) return { reason: ended.branchMoved, branchMoved: true }
    }
  } finally {
    halt.abort()
    await Promise.allSettled([...running.values(), ...landings])
  }
}

/** While some attempts are being captured and verified, others can already prepare for the agent's place they free. */
const attemptsPerAgent = 1.5

function startWhatCan(
  running: Map<AttemptId, Promise<void>>,
  landings: Set<Promise<Landed>>,
  context: LandingContext,
  signals: SessionSignals,
): void {
  const { recorder } = context
  const underWay = Math.ceil(recorder.session().options.concurrency * attemptsPerAgent)
  for (const attempt of nextToStart(recorder.attempts(), new Set(running.keys()), underWay)) {
    const work = settleFaults(attempt, context, signals).finally(() => running.delete(attempt.id))
    running.set(attempt.id, work)
  }
  const train = nextTrain(recorder.attempts())
  if (landings.size > 0 || train.length === 0) return
  const landing = landTrain(train, context).finally(() => landings.delete(landing))
  landings.add(landing)
}

/** Faults that end the whole session rather than one issue: nothing else could be recorded either. */
const sessionFaults = ['disk_full', 'store_failed', 'home_unusable', 'busy', 'transition_refused']

/** Runs one attempt; what it cannot handle settles it as not evaluated, and the others go on. */
async function settleFaults(
  attempt: Attempt,
  context: LandingContext,
  signals: SessionSignals,
): Promise<void> {
  const { recorder, verifier, slots, ports, issues } = context
  const issue = issueOf(issues, attempt)
  try {
    await runAttempt(attempt, {
      issue,
      session: recorder.session,
      ports,
      recorder,
      verifier,
      slots,
      ...signals,
    })
  } catch (error) {
    if (signals.abort.aborted) return
    if (error instanceof Fault && sessionFaults.includes(error.code)) throw error
    const last = recorder.attempts().find(({ id }) => id === attempt.id) ?? attempt
    if (isSettled(last)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const event = { type: 'stopped', outcome: 'not_evaluated', reason } as const
    await recorder.recordStep(last, event, advance(last, event))
  } finally {
    const last = recorder.attempts().find(({ id }) => id === attempt.id)
    if (last && isResting(last)) await ports.workspaces.close(last.id)
  }
}

function issueOf(issues: ReadonlyMap<IssueId, Issue>, attempt: Attempt): Issue {
  const issue = issues.get(attempt.issue_id)
  if (!issue)
    throw new Fault('internal', `${attempt.issue_code} is part of the session, but not in the store`)
  return issue
}

/** Ends the session when every attempt is settled; else lets it go, resumable. */
async function endOrRelease(recorder: Recorder, ports: Ports, stopped: StopReason): Promise<void> {
  const session = recorder.session()
  const attempts = recorder.attempts()
  if (stopped && !stopped.branchMoved) {
    await recorder.recordTogether({
      session: { type: 'released', reason: `stopped: fixpoint resume ${session.id} goes on` },
      announcements: [
        { type: 'fix_session_parked', message: `stopped; fixpoint resume ${session.id} goes on` },
      ],
    })
    return
  }
  if (!stopped && attempts.some(({ stage }) => stage === 'held')) return waitForPerson(recorder)
  const at = new Date(ports.clock.now()).toISOString()
  if (stopped) return endBroken(recorder, stopped.reason, at)
  const status = exitCodeFor(attempts) === 0 ? 'completed' : attempts.some(isFixed) ? 'partial' : 'failed'
  const fixed = attempts.filter(isFixed).length
  await recorder.recordTogether({
    session: { type: 'ended', status, reason: null, at },
    announcements: [{ type: 'fix_session_completed', message: `${fixed} of ${attempts.length} fixed` }],
  })
}

/** Everything that could go on has; the rest needs an answer. */
async function waitForPerson(recorder: Recorder): Promise<void> {
  const { id } = recorder.session()
  const held = recorder
    .attempts()
    .flatMap((attempt) => (attempt.stage === 'held' ? [attempt.issue_code] : []))
  const reason = `${held.join(', ')} need${held.length === 1 ? 's' : ''} a person: fixpoint approve ${id} or fixpoint reject ${id}`
  await recorder.recordTogether({
    session: { type: 'held', reason },
    announcements: [{ type: 'fix_session_parked', message: reason }],
  })
}

/** The branch was moved by someone else: what is not settled is given back, and the commits stay where they are. */
async function endBroken(recorder: Recorder, reason: string, at: string): Promise<void> {
  const open = recorder.attempts().filter((attempt) => !isSettled(attempt))
  const event = { type: 'stopped', outcome: 'cancelled', reason } as const
  for (const attempt of open) await recorder.recordStep(attempt, event, advance(attempt, event))
  const ended: SessionEvent = { type: 'ended', status: 'failed', reason, at }
  if (recorder.session().landing) await recorder.recordTogether({ session: { type: 'landing_dropped' } })
  await recorder.recordTogether({
    session: ended,
    announcements: [{ type: 'fix_session_error', message: reason }],
  })
}

const isFixed = (attempt: Attempt): boolean => attempt.stage === 'settled' && attempt.outcome === 'fixed'
