import { isDiskFull } from '../../model/fault.ts'
import type { Budget, Spent } from '../../model/attempt/spending.ts'
import type { SessionHalt } from '../../model/session/halt.ts'
import { isOver, type SessionOptions } from '../../model/session/session.ts'
import { spentInSession } from '../../model/session/spent-in-session.ts'
import { runAttempt } from '../attempt/run-attempt.ts'
import { aboutTime } from '../context/about-time.ts'
import { createLimits, type AgentLimits } from '../context/limits.ts'
import { createRecorder, type Recorder } from '../context/recorder.ts'
import type { Hands, SessionContext } from '../context/session-context.ts'
import { createSpendingRecord, readSpendingRecord } from '../context/spending-record.ts'
import { createSlots, type SharedSlots } from '../context/slots.ts'
import { noticeBaseMove } from '../landing/notice-base-move.ts'
import type { Ports, StoredSession } from '../ports.ts'
import { clarifySession } from '../prepare/clarify-session.ts'
import { masterTodo } from '../prompts/todo.ts'
import { createVerifier } from '../proof/verify.ts'
import { endOrRelease, endUnfit, stoppedBy, type StopReason } from './end-session.ts'
import type { Inbox } from './inbox.ts'
import { runAttempts } from './run-attempts.ts'
import { ownAttemptsPerAgent } from './schedule.ts'
import { publishSetup } from './publish-setup.ts'
import { judgeBase } from '../../model/proof/preflight.ts'

/** What others may want of a session while it runs. */
export interface SessionSignals {
  /** Start nothing new: running steps finish, the session stays resumable. A reason in words is kept with it. */
  readonly stopStarting: AbortSignal
  /** End running steps now; the session stays resumable. */
  readonly endNow: AbortSignal
  /** What a person answers while the session runs. */
  readonly inbox?: Inbox
  /** Where other sessions of this process want agents too. */
  readonly sharedSlots?: SharedSlots
  /** Who works on attempts, where that is not this process alone. */
  readonly hands?: Hands
}

/** Drives a session to its end, or to where it was stopped. Resuming is calling this again with what is stored. */
export async function runSession(
  stored: StoredSession,
  ports: Ports,
  signals: SessionSignals,
): Promise<StoredSession> {
  const recorder = createRecorder(stored, ports)
  const endTelling = publishSetup({ recorder, ports })
  try {
    const { id, plan, options, base } = recorder.session()
    // Written here and not where the session is made: the next process writes it if this one is killed in between.
    await ports.artifacts.write(id, 'master_todo.json', masterTodo(plan))
    const verifier = createVerifier({ ...ports, ...options, base })
    const unfit = await checkBase({ recorder, ports, verifier }, signals.endNow)
    const prepared = unfit === null ? await prepareSession({ recorder, ports, verifier }, signals) : null
    if (unfit !== null) await endUnfit(recorder, ports, unfit)
    if (prepared) {
      const { context, isReady } = prepared
      const stopped = isReady ? await runAttempts(context, signals.inbox) : stoppedBy(signals.stopStarting)
      await closeSession(context, stopped)
    }
  } catch (error) {
    if (!isDiskFull(error) || isOver(recorder.session())) throw error
    // If even this cannot be written, that fault is thrown; what is stored is enough to go on.
    await endOrRelease({ stopped: null, halt: diskHalt(error) }, { recorder, ports })
  } finally {
    endTelling()
  }
  return { session: recorder.session(), attempts: recorder.attempts() }
}

/** Asks about unclear issues, and makes the context of the attempts; null when questions wait for a person. */
async function prepareSession(
  made: Pick<SessionContext, 'recorder' | 'ports' | 'verifier'>,
  signals: SessionSignals,
): Promise<{ readonly context: SessionContext; readonly isReady: boolean } | null> {
  const { recorder, ports } = made
  await countLost(recorder, ports)
  const limits = openLimits(recorder, ports, recorder.session().options)
  const isReady = await clarifySession({ recorder, ports, limits, endNow: signals.endNow })
  if (recorder.session().status === 'awaiting_clarification') return null
  return { context: await openContext({ ...made, limits }, signals), isReady }
}

/** Counts what a killed process had used and could not record. */
async function countLost(recorder: Recorder, { artifacts }: Pick<Ports, 'artifacts'>): Promise<void> {
  const noted = await readSpendingRecord(artifacts, recorder.session().id)
  if (noted) await recordVainSpending(recorder, noted)
}

function openLimits(
  recorder: Recorder,
  { artifacts, clock }: Pick<Ports, 'artifacts' | 'clock'>,
  options: SessionOptions,
): AgentLimits {
  const before = spentInSession(recorder.session(), recorder.attempts())
  const { concurrency: places, patience_ms: patienceMs } = options
  return createLimits(budgetOf(options), clock, {
    before,
    onSpent: createSpendingRecord(artifacts, recorder.session().id),
    places,
    ...(patienceMs !== undefined && { patienceMs }),
  })
}

const budgetOf = (options: SessionOptions): Budget => ({
  session: { usd: options.budget_usd ?? null, tokens: options.budget_tokens ?? null },
  issue: { usd: options.issue_budget_usd ?? null, tokens: options.issue_budget_tokens ?? null },
})

/** The one context of the session. Made after the questions: their answers stand in the issues. */
async function openContext(
  made: Pick<SessionContext, 'recorder' | 'ports' | 'limits' | 'verifier'>,
  { stopStarting, endNow, sharedSlots, hands = ownHands }: SessionSignals,
): Promise<SessionContext> {
  const { issues } = made.ports
  const { options, issue_ids } = made.recorder.session()
  return {
    ...made,
    issues: new Map((await issues.get(issue_ids)).map((issue) => [issue.id, issue])),
    slots: sharedSlots?.forSession(options.concurrency) ?? createSlots(options.concurrency),
    hands,
    stopStarting,
    endNow,
  }
}

const ownHands: Hands = { attemptsPerAgent: ownAttemptsPerAgent, work: runAttempt }

async function closeSession(context: SessionContext, stopped: StopReason): Promise<void> {
  const { recorder, ports, limits, verifier } = context
  if (!stopped && !limits.halted()) await noticeBaseMove(context)
  const count = verifier.count()
  if (count > 0) await recorder.recordTogether({ session: { type: 'verified', count } })
  await recordVainSpending(recorder, limits.spent())
  await endOrRelease({ stopped, halt: limits.halted() }, context)
  // A process that was killed between accepting and tidying up left a workspace that no attempt opens again.
  if (isOver(recorder.session())) for (const { id } of recorder.attempts()) await ports.workspaces.close(id)
}

/** Work that was paid for counts, even when no round holds it. */
async function recordVainSpending(recorder: Recorder, all: Spent): Promise<void> {
  const recorded = spentInSession(recorder.session(), recorder.attempts())
  const usd = all.usd - recorded.usd
  const tokens = all.tokens - recorded.tokens
  // The shares of several issues are rounded.
  if (usd < 1e-6 && tokens <= recorder.attempts().length) return
  const spent = { usd: Math.max(0, usd), tokens: Math.max(0, tokens) }
  await recorder.recordTogether({ session: { type: 'spent_in_vain', spent } })
}

const diskHalt = (error: unknown): SessionHalt => ({
  kind: 'disk',
  reason: `the disk is full (${error instanceof Error ? error.message : String(error)})`,
  until: null,
})

/** Results of an earlier session are read within this time; nothing is said to run then. */
const knownWithinMs = 200

/**
 * Runs the checks on the base before anything is spent. Returns why they could judge nothing; null when fixes can be
 * judged, or have been already.
 */
async function checkBase(
  { recorder, ports, verifier }: Pick<SessionContext, 'recorder' | 'ports' | 'verifier'>,
  signal: AbortSignal,
): Promise<string | null> {
  const { base, options } = recorder.session()
  // Commands for some paths only may have nothing to do here.
  const commands = options.commands.filter(({ paths }) => paths.length === 0)
  const isBegun = recorder.attempts().some(({ stage, rounds }) => stage !== 'queued' || rounds.length > 0)
  if (isBegun || commands.length === 0 || options.policy.max_rounds === 0) return null
  const message = `running the checks on the base first${aboutTime(await verifier.expectedMs(commands))}`
  const looking = verifier.run(base, commands, signal)
  const isKnown = await Promise.race([
    looking.then(() => true),
    ports.clock.wait(knownWithinMs, signal).then(() => false),
  ])
  if (!isKnown) recorder.publishEvent({ type: 'fix_verification_started', message })
  const runs = await looking
  const { blocking, warnings } = judgeBase(runs, ports.jail.isThere ? commands : [])
  if (signal.aborted) return null
  if (blocking.length > 0)
    return `the checks can judge nothing here, so that no agent was asked: ${blocking.join('; ')}`
  const told = recorder.session().warnings ?? []
  for (const warning of warnings.filter((one) => !told.includes(one)))
    await recorder.recordTogether({
      session: { type: 'warned', warning },
      events: [{ type: 'fix_session_warning', message: warning }],
    })
  return null
}
