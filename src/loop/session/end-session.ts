import { isSettled, type Attempt } from '../../model/attempt/attempt.ts'
import type { SessionHalt } from '../../model/session/halt.ts'
import type { SessionId } from '../../model/id.ts'
import { cancelledByPerson, type SessionEvent } from '../../model/session/session.ts'
import { exitCodeFor } from '../../model/session/session-result.ts'
import { resumeLanding } from '../landing/land.ts'
import type { Ports } from '../ports.ts'
import { settleOpenAttempts, type Recorder } from '../context/recorder.ts'
import type { SessionContext } from '../context/session-context.ts'

/** Why the session could not go on, when it could not. */
export type StopReason = {
  readonly kind: 'stopped' | 'branch_moved' | 'checkout_changed'
  readonly reason: string
} | null

/** Stopped from outside, with the reason in words where one was given. */
export const stoppedBy = ({ reason }: AbortSignal): StopReason => ({
  kind: 'stopped',
  reason: typeof reason === 'string' ? reason : 'stopped',
})

type EndContext = Pick<SessionContext, 'recorder' | 'ports'>

/** Ends the session when every attempt is settled; else lets it go, resumable. */
export async function endOrRelease(
  { stopped, halt }: { readonly stopped: StopReason; readonly halt: SessionHalt | null },
  { recorder, ports }: EndContext,
): Promise<void> {
  const session = recorder.session()
  const attempts = recorder.attempts()
  const isBroken = stopped !== null && stopped.kind !== 'stopped'
  const isOpen = attempts.some((attempt) => !isSettled(attempt))
  if (halt && !isBroken && isOpen) return park(recorder, ports, halt)
  if (stopped?.kind === 'stopped' && isOpen) return release(recorder, withWayOn(stopped.reason, session.id))
  if (stopped?.kind === 'branch_moved') return release(recorder, stopped.reason)
  if (!stopped && attempts.some(({ stage }) => stage === 'held')) return waitForPerson(recorder)
  if (isBroken) return endBroken(recorder, ports, stopped.reason)
  const at = new Date(ports.clock.now()).toISOString()
  const status = exitCodeFor(attempts) === 0 ? 'completed' : attempts.some(isFixed) ? 'partial' : 'failed'
  const fixed = attempts.filter(isFixed).length
  await recorder.recordTogether({
    session: { type: 'ended', status, reason: null, at },
    events: [{ type: 'fix_session_completed', message: `${fixed} of ${attempts.length} fixed` }],
  })
}

/** What was cancelled ends in a moment: nobody is to go on with it. */
const withWayOn = (reason: string, id: SessionId): string =>
  reason === cancelledByPerson ? reason : `${reason}: fixpoint resume ${id} goes on`

/** Nobody drives it from now on; what is stored is enough to go on. */
const release = (recorder: Recorder, reason: string): Promise<void> =>
  recorder.recordTogether({
    session: { type: 'released', reason },
    events: [{ type: 'fix_session_parked', message: reason }],
  })

/** No agent may run for now. Billing ends the session; everything else can be waited for, or repaired. */
async function park(recorder: Recorder, { clock }: Pick<Ports, 'clock'>, halt: SessionHalt): Promise<void> {
  const { id } = recorder.session()
  if (halt.kind !== 'billing') {
    const when = halt.until === null ? '' : ` (not before ${halt.until})`
    const message = `${halt.kind}: ${halt.reason}; fixpoint resume ${id} goes on${when}`
    return recorder.recordTogether({
      session: { type: 'halted', halt },
      events: [{ type: 'fix_session_parked', message, details: { halt } }],
    })
  }
  const reason = `billing: ${halt.reason}`
  await settleOpenAttempts(recorder, { outcome: 'over_budget', reason })
  const status = recorder.attempts().some(isFixed) ? 'partial' : 'failed'
  const at = new Date(clock.now()).toISOString()
  await recorder.recordTogether({
    session: { type: 'ended', status, reason, at },
    events: [
      { type: 'fix_billing_error', message: halt.reason },
      { type: 'fix_session_error', message: reason },
    ],
  })
}

/** Nothing could be proven here: the issues are given back before anything is spent on them. */
export async function endUnfit(
  recorder: Recorder,
  { clock }: Pick<Ports, 'clock'>,
  reason: string,
): Promise<void> {
  await settleOpenAttempts(recorder, { outcome: 'not_evaluated', reason })
  const at = new Date(clock.now()).toISOString()
  await recorder.recordTogether({
    session: { type: 'ended', status: 'failed', reason, at },
    events: [{ type: 'fix_session_error', message: reason }],
  })
}

/** Everything that could go on has; the rest needs an answer. */
async function waitForPerson(recorder: Recorder): Promise<void> {
  const { id } = recorder.session()
  const held = recorder
    .attempts()
    .flatMap((attempt) => (attempt.stage === 'held' ? [attempt.issue_code] : []))
  const reason = `${held.join(', ')} need${held.length === 1 ? 's' : ''} a person: fixpoint approve ${id} or fixpoint reject ${id} --reason TEXT`
  await recorder.recordTogether({
    session: { type: 'held', reason },
    events: [{ type: 'fix_session_parked', message: reason }],
  })
}

/**
 * Something wrote where only the user may: open issues are given back, and the commits stay where they are. A landing
 * that was under way is finished: the branch may have been moved already.
 */
async function endBroken(
  recorder: Recorder,
  ports: Pick<Ports, 'issues' | 'branches' | 'clock' | 'jail'>,
  reason: string,
): Promise<void> {
  const issues = await ports.issues.get(recorder.session().issue_ids)
  await resumeLanding({ recorder, ports, issues: new Map(issues.map((issue) => [issue.id, issue])) })
  await settleOpenAttempts(recorder, { outcome: 'cancelled', reason })
  const status = recorder.attempts().some(isFixed) ? 'partial' : 'failed'
  const at = new Date(ports.clock.now()).toISOString()
  const ended: SessionEvent = { type: 'ended', status, reason, at }
  if (recorder.session().landing) await recorder.recordTogether({ session: { type: 'landing_dropped' } })
  await recorder.recordTogether({
    session: ended,
    events: [{ type: 'fix_session_error', message: reason }],
  })
}

const isFixed = (attempt: Attempt): boolean => attempt.stage === 'settled' && attempt.outcome === 'fixed'
