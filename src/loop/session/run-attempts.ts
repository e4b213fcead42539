import type { AttemptId } from '../../model/id.ts'
import { runAttempt } from '../attempt/run-attempt.ts'
import { endBundles, runBatch } from '../batch/run-batch.ts'
import type { Recorder } from '../context/recorder.ts'
import type { SessionContext } from '../context/session-context.ts'
import { createCheckoutGuard } from './guard-checkout.ts'
import { landTrain, resumeLanding, type Landed } from '../landing/land.ts'
import { stoppedBy, type StopReason } from './end-session.ts'
import { takeAnswers, type Inbox } from './inbox.ts'
import { nextMoves, nextTrain } from './schedule.ts'

/** What is under way at the moment. */
interface Running {
  readonly attempts: Map<AttemptId, Promise<void>>
  readonly landings: Set<Promise<Landed>>
}

/** Starts attempts and landings as soon as they can start, without barriers; leaves nothing running behind. */
export async function runAttempts(session: SessionContext, inbox?: Inbox): Promise<StopReason> {
  const { recorder, ports, stopStarting } = session
  const leaving = new AbortController()
  const context = { ...session, endNow: AbortSignal.any([session.endNow, leaving.signal]) }
  const running: Running = { attempts: new Map(), landings: new Set() }
  const { attempts, landings } = running
  try {
    const guard = createCheckoutGuard(await ports.checkout.watch(), recorder)
    const resumed = await resumeLanding(context)
    if ('branchMoved' in resumed) return { kind: 'branch_moved', reason: resumed.branchMoved }
    for (;;) {
      const written = await guard({
        isForced: landings.size === 0 && (attempts.size === 0 || canLand(recorder, attempts)),
      })
      if (written) return { kind: 'checkout_changed', reason: written }
      const isStopping = stopStarting.aborted || session.endNow.aborted
      if (inbox) await takeAnswers(inbox, recorder)
      await endBundles(recorder)
      if (!isStopping) startReady(running, context)
      if (attempts.size === 0 && landings.size === 0) return isStopping ? stoppedBy(stopStarting) : null
      const answered = inbox ? [inbox.arrived()] : []
      const ended = await Promise.race([...attempts.values(), ...landings, ...answered])
      if (ended && 'branchMoved' in ended) return { kind: 'branch_moved', reason: ended.branchMoved }
    }
  } finally {
    leaving.abort()
    await Promise.allSettled([...attempts.values(), ...landings])
  }
}

/** Whether something lands next, or nothing is left to do. */
const canLand = (recorder: Recorder, attempts: Running['attempts']): boolean =>
  attempts.size === 0 || nextTrain(momentOf(recorder, attempts)).length > 0

const momentOf = (recorder: Recorder, attempts: Running['attempts']) => ({
  attempts: recorder.attempts(),
  running: new Set(attempts.keys()),
  tip: recorder.session().tip,
  options: recorder.session().options,
})

function startReady({ attempts, landings }: Running, context: SessionContext): void {
  const { recorder, limits, issues } = context
  const affordable = limits.affordable(recorder.attempts(), new Set(attempts.keys()))
  const now = { isLanding: landings.size > 0, isHalted: limits.halted() !== null, affordable }
  const { batch, start, train } = nextMoves({ ...momentOf(recorder, attempts), ...now }, issues)
  if (batch.length > 0) {
    const ended = runBatch(batch, context).finally(() => batch.forEach(({ id }) => attempts.delete(id)))
    batch.forEach(({ id }) => attempts.set(id, ended))
  }
  for (const attempt of start)
    attempts.set(
      attempt.id,
      runAttempt(attempt, context).finally(() => attempts.delete(attempt.id)),
    )
  if (train.length === 0) return
  const landing = landTrain(train, context).finally(() => landings.delete(landing))
  landings.add(landing)
}
