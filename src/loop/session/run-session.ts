import { advance } from '../../model/attempt/advance-attempt.ts'
import { isResting, isSettled, type Attempt } from '../../model/attempt/attempt.ts'
import { Fault, isDiskFull, isSessionFault } from '../../model/fault.ts'
import type { AttemptId, IssueId } from '../../model/id.ts'
import type { SessionHalt } from '../../model/session/halt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { isOver, type SessionOptions } from '../../model/session/session.ts'
import type { Budget } from '../../model/attempt/spending.ts'
import { spentInSession } from '../../model/session/spent-in-session.ts'
import { clarifySession } from '../beforehand/clarify-session.ts'
import { endOrRelease, type StopReason } from './end-session.ts'
import { createCheckoutGuard } from '../gates/guard-checkout.ts'
import { landTrain, resumeLanding, type Landed, type LandingContext } from '../landing/land.ts'
import { noticeBaseMove } from '../landing/notice-base-move.ts'
import type { Ports, StoredSession } from '../ports.ts'
import { createLimits, type Limits } from './limits.ts'
import { takeAnswers, type Inbox } from './inbox.ts'
import { runBatch, settleBundles } from '../batch/run-batch.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { runAttempt } from '../attempt/run-attempt.ts'
import { masterTodo } from '../attempt/todo.ts'
import { nextBatch } from '../batch/next-batch.ts'
import { nextToStart, nextTrain } from './schedule.ts'
import { createSlots, type SharedSlots } from './slots.ts'
import { createVerifier } from '../proof/verify.ts'

export interface SessionSignals {
  /** Start nothing new: running steps finish, the session stays resumable. A reason in words is kept with it. */
  readonly stop: AbortSignal
  /** End running steps now; the session stays resumable. */
  readonly abort: AbortSignal
  /** What a person answers while the session runs. */
  readonly inbox?: Inbox
  /** Where other sessions of this process want agents too. */
  readonly sharedSlots?: SharedSlots
}

/** Drives a session to its end, or to where it was stopped. Resuming is calling this again with what is stored. */
export async function runSession(
  stored: StoredSession,
  ports: Ports,
  signals: SessionSignals,
): Promise<StoredSession> {
  const recorder = createRecorder(stored.session, stored.attempts, ports)
  try {
    await driveToEnd(recorder, ports, signals)
  } catch (error) {
    if (!isDiskFull(error) || isOver(recorder.session())) throw error
    // Where not even this can be written down, its own fault says so; what is stored is enough to go on all the same.
    await endOrRelease(recorder, ports, null, diskHalt(error))
  }
  return { session: recorder.session(), attempts: recorder.attempts() }
}

const diskHalt = (error: unknown): SessionHalt => ({
  kind: 'disk',
  reason: `the disk is full (${error instanceof Error ? error.message : String(error)})`,
  until: null,
})

async function driveToEnd(recorder: Recorder, ports: Ports, signals: SessionSignals): Promise<void> {
  const { id, plan, options, base, issue_ids: issueIds } = recorder.session()
  // Here and not where the session is made: who is killed in between leaves a plan that the next process writes.
  await ports.artifacts.write(id, 'master_todo.json', masterTodo(plan))
  const verifier = createVerifier({
    checks: ports.checks,
    composer: ports.composer,
    commands: options.commands,
    base,
  })
  const slots = signals.sharedSlots?.forSession(options.concurrency) ?? createSlots(options.concurrency)
  const before = spentInSession(recorder.session(), recorder.attempts())
  const limits = createLimits(budgetOf(options), ports.clock, { before, places: options.concurrency })
  const isReady = await clarifySession(recorder, ports, { limits, signal: signals.abort })
  if (recorder.session().status === 'awaiting_clarification') return
  const issues = new Map((await ports.issues.get(issueIds)).map((issue) => [issue.id, issue]))
  const context: LandingContext = { recorder, verifier, slots, issues, ports, signal: signals.abort }
  const stopReason = isReady
    ? await drive(context, signals, limits)
    : { kind: 'stopped' as const, reason: stopReasonOf(signals) }
  if (!stopReason && !limits.halted()) await noticeBaseMove(context)
  const counted = verifier.count()
  if (counted > 0) await recorder.recordTogether({ session: { type: 'verified', count: counted } })
  await recordVainSpending(recorder, limits)
  await endOrRelease(recorder, ports, stopReason, limits.halted())
  // A process that was killed between accepting and tidying up left a workspace that no attempt opens again.
  if (isOver(recorder.session())) for (const { id } of recorder.attempts()) await ports.workspaces.close(id)
}

/** What was paid for work that no round holds is counted all the same. */
async function recordVainSpending(recorder: Recorder, limits: Limits): Promise<void> {
  const recorded = spentInSession(recorder.session(), recorder.attempts())
  const usd = limits.spent().usd - recorded.usd
  const tokens = limits.spent().tokens - recorded.tokens
  // What several issues share is rounded.
  if (usd < 1e-6 && tokens <= recorder.attempts().length) return
  const spent = { usd: Math.max(0, usd), tokens: Math.max(0, tokens) }
  await recorder.recordTogether({ session: { type: 'spent_in_vain', spent } })
}

const budgetOf = (options: SessionOptions): Budget => ({
  session: { usd: options.budget_usd ?? null, tokens: options.budget_tokens ?? null },
  issue: { usd: options.issue_budget_usd ?? null, tokens: options.issue_budget_tokens ?? null },
})

/** Starts attempts and landings as soon as they can start, without barriers; leaves nothing running behind. */
async function drive(context: LandingContext, signals: SessionSignals, limits: Limits): Promise<StopReason> {
  const halt = new AbortController()
  const inner = {
    stop: signals.stop,
    limits,
    abort: AbortSignal.any([signals.abort, halt.signal]),
  }
  const running = new Map<AttemptId, Promise<void>>()
  const landings = new Set<Promise<Landed>>()
  try {
    const guard = createCheckoutGuard(await context.ports.checkout.watch(), context.recorder)
    const resumed = await resumeLanding(context)
    if ('branchMoved' in resumed) return { kind: 'branch_moved', reason: resumed.branchMoved }
    for (;;) {
      const written = await guard({ isForced: landings.size === 0 && canLand(context.recorder, running) })
      if (written) return { kind: 'checkout_changed', reason: written }
      const isStopping = signals.stop.aborted || signals.abort.aborted
      if (signals.inbox) await takeAnswers(signals.inbox, context.recorder)
      await settleBundles(context.recorder)
      if (!isStopping) startWhatCan(running, landings, { ...context, signal: inner.abort }, inner)
      if (running.size === 0 && landings.size === 0)
        return isStopping ? { kind: 'stopped', reason: stopReasonOf(signals) } : null
      const answered = signals.inbox ? [signals.inbox.arrived()] : []
      const ended = await Promise.race([...running.values(), ...landings, ...answered])
      if (ended && 'branchMoved' in ended) return { kind: 'branch_moved', reason: ended.branchMoved }
    }
  } finally {
    halt.abort()
    await Promise.allSettled([...running.values(), ...landings])
  }
}

/** Whether something lands next, or nothing is left to do. */
const canLand = (recorder: Recorder, running: ReadonlyMap<AttemptId, unknown>): boolean =>
  running.size === 0 ||
  nextTrain(recorder.attempts(), recorder.session().tip, new Set(running.keys())).length > 0

const stopReasonOf = ({ stop }: SessionSignals): string =>
  typeof stop.reason === 'string' ? stop.reason : 'stopped'

/** While some attempts are being captured and verified, others can already prepare for the agent's place they free. */
const attemptsPerAgent = 1.5

interface InnerSignals extends SessionSignals {
  readonly limits: Limits
}

function startWhatCan(
  running: Map<AttemptId, Promise<void>>,
  landings: Set<Promise<Landed>>,
  context: LandingContext,
  signals: InnerSignals,
): void {
  const { recorder } = context
  const underWay = signals.limits.halted()
    ? 0
    : Math.ceil(recorder.session().options.concurrency * attemptsPerAgent)
  const isBatched = recorder.session().options.strategy !== 'isolated'
  if (isBatched && underWay > 0) startBatch(running, context, signals)
  for (const attempt of nextToStart(recorder.attempts(), new Set(running.keys()), underWay, { isBatched })) {
    const work = settleFaults(attempt, context, signals).finally(() => running.delete(attempt.id))
    running.set(attempt.id, work)
  }
  const train = nextTrain(recorder.attempts(), recorder.session().tip, new Set(running.keys()))
  if (landings.size > 0 || train.length === 0) return
  const landing = landTrain(train, context).finally(() => landings.delete(landing))
  landings.add(landing)
}

/** In batches one agent runs at a time; the next begins from what the one before it has landed. */
function startBatch(
  running: Map<AttemptId, Promise<void>>,
  context: LandingContext,
  signals: InnerSignals,
): void {
  const { recorder, issues } = context
  const { options } = recorder.session()
  const batch = nextBatch(recorder.attempts(), issues, options)
  const [first] = batch
  if (!first || running.size > 0) return
  const { limits, stop, abort } = signals
  const work = runBatch(batch, { ...context, limits, stop, abort })
  const ended = work.finally(() => batch.forEach(({ id }) => running.delete(id)))
  batch.forEach(({ id }) => running.set(id, ended))
}

/** Runs one attempt; what it cannot handle settles it as not evaluated, and the others go on. */
async function settleFaults(attempt: Attempt, context: LandingContext, signals: InnerSignals): Promise<void> {
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
    if (isSessionFault(error)) throw error
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
