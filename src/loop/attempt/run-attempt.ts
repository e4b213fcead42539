import { advance } from '../../model/attempt/advance-attempt.ts'
import {
  isResting,
  isSettled,
  type Attempt,
  type AttemptAt,
  type AttemptEvent,
} from '../../model/attempt/attempt.ts'
import { isSessionFault } from '../../model/fault.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Challenge } from '../../model/proof/challenge.ts'
import { whyUnprovable, meetsEvidence } from '../../model/proof/evidence.ts'
import type { AgentLimits } from '../context/limits.ts'
import { stepOf } from '../context/recorder.ts'
import { issueOf, type SessionContext } from '../context/session-context.ts'
import { awaitsReproduction, reproduceIssue } from '../proof/reproduce.ts'
import { verifyPatch } from '../proof/verify-patch.ts'
import { challengeAttempt, challengerPace } from './challenge.ts'
import { touchedPaths } from '../../model/proof/patch.ts'
import { fixIssue } from './fix.ts'
import { inspectAttempt } from './inspect.ts'
import type { TreeId } from '../../model/id.ts'
import { askOrigins } from '../gates/origin.ts'
import { readJudgedPatch } from '../gates/read-patch.ts'

/**
 * Drives one attempt until it is settled or waits for its landing, step by recorded step. A fault settles it as not
 * evaluated, and the other attempts go on.
 */
export async function runAttempt(attempt: Attempt, context: SessionContext): Promise<void> {
  const { recorder, ports, stopStarting, endNow } = context
  let current = attempt
  try {
    while (!isResting(current) && (!stopStarting.aborted || isOnlyHere(current, context))) {
      await recorder.recordStart(current, usualTimeOf(current, context))
      const event = await takeStep(current, context)
      // The result of an aborted step is about the abort, not about the fix: the step is taken again on resume.
      if (!event || endNow.aborted) return
      const step = { before: current, event, after: advance(current, event) }
      await recorder.recordStep(step)
      current = step.after
    }
  } catch (error) {
    if (endNow.aborted) return
    await endAfterFault(error, current, context)
  } finally {
    const last = recorder.attempts().find(({ id }) => id === attempt.id)
    if (last && isResting(last)) await ports.workspaces.close(last.id)
  }
}

/** What an agent has just made is in a workspace of this machine; whoever goes on elsewhere needs it captured. */
const isOnlyHere = ({ stage }: Attempt, { isHandedOn = false }: SessionContext): boolean =>
  isHandedOn && stage === 'inspecting'

/** How long the step took before: that of the agent who is asked first, or of the commands where all of them run. */
function usualTimeOf(
  attempt: Attempt,
  { recorder, ports, verifier }: SessionContext,
): Promise<number | null> | null {
  if (attempt.stage === 'challenging' || attempt.stage === 'doubting')
    return ports.pace.usualMs(challengerPace(ports.agents.forRole('challenger')[0]?.agent.name ?? ''))
  const { verify_strategy: strategy = 'each' } = recorder.session().options
  if (attempt.stage !== 'verifying' || strategy !== 'each') return null
  return verifier.expectedMs(verifier.commandsFor(touchedPaths(attempt.patch)))
}

/** The session's driver handles a fault of the session itself; any other fault ends this attempt only. */
async function endAfterFault(error: unknown, attempt: Attempt, { recorder }: SessionContext): Promise<void> {
  if (isSessionFault(error) || isSettled(attempt)) throw error
  const reason = error instanceof Error ? error.message : String(error)
  await recorder.recordStep(stepOf(attempt, { type: 'stopped', outcome: 'not_evaluated', reason }))
}

/** The effects of each stage; every one may be taken twice. Null when a step was stopped before it began. */
async function takeStep(attempt: Attempt, context: SessionContext): Promise<AttemptEvent | null> {
  switch (attempt.stage) {
    case 'queued':
      return startAttempt(attempt, context)
    case 'fixing':
      return runFixer(attempt, context)
    case 'inspecting':
      return inspectAttempt(attempt, context)
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

/** A finding whose file is gone, or that another fix has mended, never reaches an agent. */
async function startAttempt(
  attempt: AttemptAt<'queued'>,
  context: SessionContext,
): Promise<AttemptEvent | null> {
  const { ports, recorder } = context
  const issue = issueOf(context, attempt)
  const session = recorder.session()
  const base = session.tip
  if (issue.file && !(await ports.trees.list(base.tree)).has(issue.file))
    return {
      type: 'stopped',
      outcome: 'deleted',
      reason: `blocked before any agent ran: ${whyAbsent(issue)}`,
    }
  const unprovable = whyUnprovable({ ...attempt.policy, commands: session.options.commands })
  if (unprovable) return { type: 'stopped', outcome: 'not_evaluated', reason: unprovable }
  const fixed = await findFixed(attempt, context)
  if (fixed) return fixed
  return awaitsReproduction(attempt, context) ? reproduceIssue(attempt, context) : { type: 'started', base }
}

/** Why the file of an issue is not in the tree that would be fixed. */
export const whyAbsent = ({ file, anchor }: Pick<Issue, 'file' | 'anchor'>): string =>
  anchor === 'uncommitted'
    ? `${file} is not committed; commit it first`
    : `${file} is not in the tree any more (deleted or moved since the finding)`

async function runFixer(attempt: AttemptAt<'fixing'>, context: SessionContext): Promise<AttemptEvent | null> {
  const { limits, recorder } = context
  const allowance = limits.allowance([attempt], recorder.attempts())
  if (limits.halted()) return null
  if (!allowance.allowed) return overBudget(allowance.reason, limits)
  const fixed = await fixIssue(attempt, context)
  return fixed && { type: 'agent_ended', ...fixed }
}

async function runChallenger(
  attempt: AttemptAt<'challenging'> | AttemptAt<'doubting'>,
  context: SessionContext,
): Promise<AttemptEvent | null> {
  const { ports, limits, recorder } = context
  const allowance = limits.allowance([attempt], recorder.attempts())
  if (!allowance.allowed) return overBudget(allowance.reason, limits)
  const others = await ports.issues.get((attempt.bundle ?? []).map(({ issue_id }) => issue_id))
  const challenges: Challenge[] = []
  const all = [issueOf(context, attempt), ...others]
  for (const issue of all) {
    const together = all.filter(({ id }) => id !== issue.id)
    const challenge = await challengeAttempt({ attempt, issue, together }, context)
    if (!challenge) return null
    challenges.push(challenge)
    if (challenge.status !== 'accepted') break
  }
  const [first, ...more] = challenges
  return first ? { type: 'challenged', challenge: more.reduce(worseOf, first) } : null
}

/** The worse of two verdicts on issues that stand or fall together; their costs add up. */
const worseOf = (a: Challenge, b: Challenge): Challenge => ({
  ...(b.status !== 'accepted' || (b.score ?? 0) < (a.score ?? 0) ? b : a),
  tokens: (a.tokens ?? 0) + (b.tokens ?? 0),
  cost_usd: (a.cost_usd ?? 0) + (b.cost_usd ?? 0),
})

/** An issue that has used up its own budget is over; when the session's is used up, the step waits for a resume. */
const overBudget = (reason: string, limits: AgentLimits): AttemptEvent | null =>
  limits.halted() ? null : { type: 'stopped', outcome: 'over_budget', reason }

type FoundFixed = Extract<AttemptEvent, { type: 'found_fixed' }>
type Needed = Pick<SessionContext, 'issues' | 'recorder' | 'ports' | 'endNow'>

/** What the silence of the tool that raised an issue is worth, on a tree whose checks are green. */
const grade = 'E2'

/**
 * Whether a fix that landed earlier in the session has mended this issue too: the tool that raised it reported it on
 * the session's base, and no longer does. Null when no fix did, or when no tool can say so; then a fixer is asked.
 */
async function findFixed(attempt: AttemptAt<'queued'>, context: Needed): Promise<FoundFixed | null> {
  const { ports, recorder } = context
  const issue = issueOf(context, attempt)
  if (!meetsEvidence(grade, attempt.policy.min_evidence) || attempt.policy.requires_reproduction) return null
  const earlier = recorder
    .attempts()
    .filter((one) => hasLandedIn(one, issue.file))
    .toSorted((a, b) => a.position - b.position)
  if (earlier.length === 0) return null
  if (!(await isSilentOn(recorder.session().tip.tree, issue, context))) return null
  for (const { issue_code: by_code, commit_sha, commit_message } of earlier) {
    const landed = commit_sha && (await ports.trees.resolve(commit_sha))
    if (landed && (await isSilentOn(landed.tree, issue, context)))
      return { type: 'found_fixed', by_code, commit_sha, commit_message, evidence: grade }
  }
  return null
}

const hasLandedIn = (attempt: Attempt, file: string | null): attempt is AttemptAt<'settled'> =>
  isSettled(attempt) &&
  attempt.outcome === 'fixed' &&
  file !== null &&
  (attempt.rounds.at(-1)?.files.includes(file) ?? false)

/** Whether every tool that raised the issue on the session's base is silent about it on this tree, and about nothing new. */
async function isSilentOn(tree: TreeId, issue: Issue, { ports, recorder, endNow }: Needed): Promise<boolean> {
  const session = recorder.session()
  const { base } = session
  const files = [...(await ports.trees.changes(base.tree, tree))]
  const patch = { base_tree: base.tree, tree, files, refused: [] }
  const judged = await readJudgedPatch({ patch, base, issue, session, signal: endNow }, ports)
  return (await askOrigins(judged, issue)).status === 'passed'
}
