import type { AgentSignal } from '../../model/agent/agent.ts'
import { advance } from '../../model/attempt/advance-attempt.ts'
import { isResting, type Attempt, type AttemptAt, type AttemptEvent } from '../../model/attempt/attempt.ts'
import type { Challenge } from '../../model/proof/challenge.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Session } from '../../model/session/session.ts'
import { challengeAttempt } from './challenge.ts'
import { fixIssue } from './fix.ts'
import { inspectPatch } from '../gates/inspect.ts'
import type { Limits } from '../session/limits.ts'
import type { Ports } from '../ports.ts'
import type { Recorder } from '../session/recorder.ts'
import { reproduceIssue } from '../proof/reproduce.ts'
import type { Slots } from '../session/slots.ts'
import type { Verifier } from '../proof/verify.ts'
import { verifyPatch } from '../proof/verify-patch.ts'

export interface AttemptContext {
  readonly issue: Issue
  /** The session as it is when a step begins: the tip moves while attempts run. */
  readonly session: () => Session
  readonly ports: Ports
  readonly recorder: Recorder
  readonly verifier: Verifier
  readonly slots: Slots
  readonly limits: Limits
  /** Start nothing new; what runs may finish. */
  readonly stop: AbortSignal
  /** End what runs, now. */
  readonly abort: AbortSignal
}

/** Drives one attempt until it is settled or waits for its landing, step by recorded step. */
export async function runAttempt(attempt: Attempt, context: AttemptContext): Promise<Attempt> {
  let current = attempt
  while (!isResting(current) && !context.stop.aborted) {
    await context.recorder.announceStep(current)
    const event = await takeStep(current, context)
    // What an aborted step returns is about the abort, not about the fix: it will be taken again on resume.
    if (!event || context.abort.aborted) return current
    const next = advance(current, event)
    await context.recorder.recordStep(current, event, next)
    current = next
  }
  return current
}

/** The effects of each stage; every one may be taken twice. Null when a step was stopped before it began. */
async function takeStep(attempt: Attempt, context: AttemptContext): Promise<AttemptEvent | null> {
  switch (attempt.stage) {
    case 'queued':
      return startAttempt(attempt, context)
    case 'fixing':
      return runFixer(attempt, context)
    case 'inspecting':
      return inspectPatch(attempt, context.issue, context.session(), context.ports)
    case 'verifying':
      return verifyPatch(attempt, context)
    case 'doubting':
    case 'challenging':
      return runChallenger(attempt, context)
    case 'bundled':
    case 'held':
    case 'accepted':
    case 'settled':
      throw new Error(`${attempt.issue_code}: nothing is left to do at stage ${attempt.stage}`)
  }
}

/** A finding whose file is gone never reaches an agent. */
async function startAttempt(
  attempt: AttemptAt<'queued'>,
  context: AttemptContext,
): Promise<AttemptEvent | null> {
  const { issue, ports } = context
  const session = context.session()
  const base = session.tip
  if (issue.file && !(await ports.trees.list(base.tree)).has(issue.file))
    return {
      type: 'stopped',
      outcome: 'deleted',
      reason: `blocked before any agent ran: ${whyAbsent(issue)}`,
    }
  const unprovable = whyUnprovable(attempt, session)
  if (unprovable) return { type: 'stopped', outcome: 'not_evaluated', reason: unprovable }
  if (!session.options.reproduce || attempt.policy.max_rounds === 0) return { type: 'started', base }
  const reproduction = await reproduceIssue(
    { ...context, attempt, session, base, signal: context.abort },
    ports,
  )
  return reproduction && { type: 'started', base, reproduction }
}

/** Why the file of an issue is not in the tree that would be fixed. */
export const whyAbsent = ({ file, anchor }: Pick<Issue, 'file' | 'anchor'>): string =>
  anchor === 'uncommitted'
    ? `${file} is not committed; commit it first`
    : `${file} is not in the tree any more (deleted or moved since the finding)`

/** Why no fix of this attempt could ever land, where that is known beforehand: then no agent is asked, and nothing is spent. */
export const whyUnprovable = ({ policy }: Attempt, { options }: Pick<Session, 'options'>): string | null =>
  options.commands.length > 0 || policy.min_evidence === 'E0'
    ? null
    : 'verification: no verification command is configured, so no fix could be proven and no agent was asked'

async function runFixer(attempt: AttemptAt<'fixing'>, context: AttemptContext): Promise<AttemptEvent | null> {
  const { issue, slots, stop, ports, limits } = context
  const allowance = limits.allowance([attempt], context.recorder.attempts())
  if (limits.halted()) return null
  if (!allowance.allowed) return overBudget(allowance.reason, limits)
  const takeShare = () => limits.share([attempt], context.recorder.attempts())
  const onSignal = (told: AgentSignal): void => context.recorder.publishSignal(attempt, told)
  const session = context.session()
  const signal = context.abort
  const fixed = await fixIssue(
    { attempt, issue, session, slots, limits, takeShare, stop, signal, onSignal },
    ports,
  )
  return fixed && { type: 'agent_ended', ...fixed }
}

async function runChallenger(
  attempt: AttemptAt<'challenging'> | AttemptAt<'doubting'>,
  { issue, ports, limits, abort, recorder }: AttemptContext,
): Promise<AttemptEvent | null> {
  const allowance = limits.allowance([attempt], recorder.attempts())
  if (!allowance.allowed) return overBudget(allowance.reason, limits)
  const others = await ports.issues.get((attempt.bundle ?? []).map(({ issue_id }) => issue_id))
  const challenges: Challenge[] = []
  for (const judged of [issue, ...others]) {
    const challenge = await challengeAttempt({ attempt, issue: judged, limits, signal: abort }, ports)
    if (!challenge) return null
    challenges.push(challenge)
    if (challenge.status !== 'accepted') break
  }
  const [first, ...more] = challenges
  return first ? { type: 'challenged', challenge: more.reduce(worseOf, first) } : null
}

/** Of the verdicts on issues that stand or fall together, the one that lets them fall; what they cost adds up. */
const worseOf = (a: Challenge, b: Challenge): Challenge => ({
  ...(b.status !== 'accepted' || (b.score ?? 0) < (a.score ?? 0) ? b : a),
  tokens: (a.tokens ?? 0) + (b.tokens ?? 0),
  cost_usd: (a.cost_usd ?? 0) + (b.cost_usd ?? 0),
})

/** An issue that has used up its own budget is over; when the session's is used up, the step waits for a resume. */
const overBudget = (reason: string, limits: Limits): AttemptEvent | null =>
  limits.halted() ? null : { type: 'stopped', outcome: 'over_budget', reason }
