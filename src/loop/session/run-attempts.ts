import type { AttemptId } from '../../model/id.ts'
import { endBundles, runBatch } from '../batch/run-batch.ts'
import type { Recorder } from '../context/recorder.ts'
import type { SessionContext } from '../context/session-context.ts'
import type { Accepted } from '../landing/compose-train.ts'
import { checkTogether } from '../landing/check-ahead.ts'
import { landTrain, resumeLanding, type Landed } from '../landing/land.ts'
import { stoppedBy, type StopReason } from './end-session.ts'
import { takeAnswers, type Inbox } from './inbox.ts'
import { nextMoves, nextTrain } from './schedule.ts'
import { touchedPaths } from '../../model/proof/patch.ts'
import type { CheckoutWatch } from '../ports.ts'

/** What is under way at the moment. */
interface Running {
  readonly attempts: Map<AttemptId, Promise<void>>
  readonly landings: Set<Promise<Landed>>
  /** What is being landed. */
  train: readonly Accepted[]
  /** The train that would follow it, and its checks. */
  ahead: { readonly of: string; readonly ended: Promise<void> } | null
}

/** Starts attempts and landings as soon as they can start, without barriers; leaves nothing running behind. */
export async function runAttempts(session: SessionContext, inbox?: Inbox): Promise<StopReason> {
  const { recorder, ports, stopStarting } = session
  const leaving = new AbortController()
  const context = { ...session, endNow: AbortSignal.any([session.endNow, leaving.signal]) }
  const running: Running = { attempts: new Map(), landings: new Set(), train: [], ahead: null }
  const { attempts, landings } = running
  try {
    const guard = createCheckoutGuard(await ports.checkout.watch(), recorder)
    const resumed = await resumeLanding(context)
    if ('branchMoved' in resumed) return { kind: 'branch_moved', reason: resumed.branchMoved }
    for (let hasBegun = false; ; hasBegun = true) {
      const written = await guard({
        // Before anything of this session has begun, what was seen just now is how the checkout is.
        isForced: hasBegun && landings.size === 0 && canLand(recorder, attempts),
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
    await Promise.allSettled([...attempts.values(), ...landings, running.ahead?.ended])
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

function startReady(running: Running, context: SessionContext): void {
  const { attempts, landings } = running
  const { recorder, limits, issues, hands } = context
  const affordable = limits.affordable(recorder.attempts(), new Set(attempts.keys()))
  const { attemptsPerAgent } = hands
  const now = {
    isLanding: landings.size > 0,
    isHalted: limits.halted() !== null,
    affordable,
    attemptsPerAgent,
  }
  const { batch, start, train } = nextMoves({ ...momentOf(recorder, attempts), ...now }, issues)
  if (batch.length > 0) {
    const ended = runBatch(batch, context).finally(() => batch.forEach(({ id }) => attempts.delete(id)))
    batch.forEach(({ id }) => attempts.set(id, ended))
  }
  for (const attempt of start)
    attempts.set(
      attempt.id,
      hands.work(attempt, context).finally(() => attempts.delete(attempt.id)),
    )
  if (landings.size > 0) checkAhead(running, context)
  if (train.length === 0) return
  running.train = train
  const landing = landTrain(train, context).finally(() => landings.delete(landing))
  landings.add(landing)
}

/**
 * While a train is checked, the commands run on the one that would follow if all of it were good: then its result is
 * there when it is asked for. A wrong guess costs processor time, and nothing else; nothing of it is written down but
 * what the commands said of that tree.
 */
function checkAhead(running: Running, context: SessionContext): void {
  const { recorder, ports } = context
  const members = new Set(running.train.map(({ id }) => id))
  const now = momentOf(recorder, running.attempts)
  const next = nextTrain({ ...now, attempts: now.attempts.filter(({ id }) => !members.has(id)) })
  const of = [...members, ...next.map(({ id }) => id)].join()
  if (next.length === 0 || of === running.ahead?.of || !ports.checks.hasRoom?.()) return
  running.ahead = { of, ended: checkTogether([running.train, next], context) }
}

/** Why the session must stop, when the user's checkout was written to by an agent; null when all is well. */
type GuardCheckout = (request: { readonly isForced: boolean }) => Promise<string | null>

/**
 * Looks whether the user's checkout changed. While a session runs, nobody else changes git's configuration, its hooks
 * or the files that the session works on, so such a change stops the session. Any other change may be the person's and
 * is only reported.
 */
function createCheckoutGuard(watch: CheckoutWatch, recorder: Recorder): GuardCheckout {
  return async (request) => {
    const { files, settings, refs } = await watch.look(request)
    const worked = filesOf(recorder)
    const written = files.filter((path) => worked.has(path))
    if (settings.length > 0)
      return `the settings of your own repository were changed while agents ran, and not by Fixpoint: ${listPaths(settings)}. Look at them before you go on.`
    if (written.length > 0)
      return `your own checkout was changed while agents ran, and not by Fixpoint: ${listPaths(written)}. Look at it (git status, git diff) before you go on.`
    if (files.length > 0) await warn('your checkout changed meanwhile (not by Fixpoint)', { files }, recorder)
    const others = refs.filter((ref) => !isOwn(ref, recorder))
    if (others.length > 0)
      await warn(
        'refs of your repository changed meanwhile (not by this session)',
        { refs: others },
        recorder,
      )
    return null
  }
}

const isOwn = (ref: string, recorder: Recorder): boolean =>
  ref.startsWith('refs/fixpoint/') ||
  ref.startsWith('refs/notes/fixpoint') ||
  ref === `refs/heads/${recorder.session().branch ?? ''}`

async function warn(
  what: string,
  changed: Readonly<Record<string, readonly string[]>>,
  recorder: Recorder,
): Promise<void> {
  const paths = Object.values(changed).flat()
  const warning = `${what}: ${listPaths(paths)}`
  const details = Object.fromEntries(
    Object.entries(changed).map(([name, list]) => [name, list.slice(0, mostNamed)]),
  )
  await recorder.recordTogether({
    session: { type: 'warned', warning },
    events: [{ type: 'fix_session_warning', message: warning, details }],
  })
}

/** The files that the session's issues are about, and those that its patches touch. */
function filesOf(recorder: Recorder): ReadonlySet<string> {
  return new Set(
    recorder
      .attempts()
      .flatMap((attempt) => [
        ...attempt.files,
        ...attempt.rounds.flatMap((round) => round.files),
        ...('patch' in attempt ? touchedPaths(attempt.patch) : []),
      ]),
  )
}

const mostNamed = 100

const listPaths = (paths: readonly string[]): string =>
  paths.length <= 8 ? paths.join(', ') : `${paths.slice(0, 8).join(', ')} and ${paths.length - 8} more`
