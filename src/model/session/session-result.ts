import type { Attempt, Outcome, SettledAttempt } from '../attempt/attempt.ts'
import { isOpenDispute } from '../attempt/dispute.ts'
import { exitOfHalt } from './halt.ts'
import type { Issue } from '../issue/issue.ts'
import { countedAs, statusAfter, type Counted } from './outcome-table.ts'
import type { Round } from '../attempt/round.ts'
import { isOver, type Session } from './session.ts'
import { spentInRound, spentOn } from '../attempt/spending.ts'
import { spentInSession } from './spent-in-session.ts'

const exits: Readonly<Partial<Record<Outcome, number>>> = {
  fixed: 0,
  false_positive: 0,
  disputed: 5,
  held: 5,
  not_evaluated: 3,
  over_budget: 4,
}
/** Mixed ends: the first of these that occurs is the exit code. */
const exitOrder = [4, 75, 5, 3, 1, 0]

function exitOf(attempt: Attempt): number {
  if (attempt.stage === 'held') return 5
  return attempt.stage === 'settled' ? (exits[attempt.outcome] ?? 1) : 1
}

/** The exit code of a session from the ends of its attempts and why it is parked; signals are the caller's. */
export function exitCodeFor(
  attempts: readonly Attempt[],
  session: Partial<Pick<Session, 'halt' | 'status'>> = {},
): number {
  const waits = session.status === 'awaiting_clarification' ? [5] : []
  const parked = session.halt ? [exitOfHalt[session.halt.kind]] : []
  const codes = new Set([...attempts.map(exitOf), ...waits, ...parked])
  return exitOrder.find((code) => codes.has(code)) ?? 0
}

export type SessionResult = ReturnType<typeof sessionResult>

/** The whole session as `fixpoint.session.v1`. */
export function sessionResult(session: Session, attempts: readonly Attempt[], issues: readonly Issue[]) {
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  const results = attempts
    .toSorted((a, b) => a.position - b.position)
    .map((attempt) => issueResult(attempt, issueOf.get(attempt.issue_id), session))
  const lastRounds = attempts.flatMap((attempt) => attempt.rounds.slice(-1))
  const spent = spentInSession(session, attempts)
  const created = Date.parse(session.created_at)
  const ended = Date.parse(session.ended_at ?? session.updated_at)
  return {
    schema: 'fixpoint.session.v1' as const,
    session_id: session.id,
    repository_id: session.repository_id,
    task_id: session.task_id,
    branch_name: session.branch_made ? session.branch : null,
    base_commit: session.base.commit,
    base_moved: session.base_moved ?? null,
    warnings: session.warnings ?? [],
    status: session.status,
    reason: session.reason,
    ...countIssues(attempts),
    results,
    final_status: finalStatus(attempts, lastRounds),
    fixes_applied: session.branch_made,
    cost_usd: spent.usd,
    tokens: spent.tokens,
    duration_ms: Math.max(0, ended - created),
    verifications_run: session.verifications_run,
    resumable: !isOver(session),
  }
}

/** Every issue counts once. */
export function countIssues(attempts: readonly Attempt[]) {
  const counted = (kind: string) => attempts.filter((attempt) => countOf(attempt) === kind).length
  return {
    issues_requested: attempts.length,
    issues_fixed: counted('fixed'),
    issues_failed: counted('failed'),
    issues_skipped: counted('skipped'),
  }
}

const countOf = (attempt: Attempt): Counted =>
  attempt.stage === 'settled' ? countedAs(attempt.outcome) : 'skipped'

/** The last verification decides; a session that had nothing to do has passed. */
function finalStatus(
  attempts: readonly Attempt[],
  lastRounds: readonly Round[],
): 'passed' | 'failed' | 'not_evaluated' {
  if (attempts.every((attempt) => attempt.stage === 'settled' && attempt.outcome === 'fixed')) return 'passed'
  return lastRounds.some((round) => round.verification?.status === 'failed') ||
    attempts.some((attempt) => countOf(attempt) === 'failed')
    ? 'failed'
    : 'not_evaluated'
}

/** Why an attempt ended; a dispute that a person has answered says so. */
export function reasonNow(attempt: SettledAttempt, issue: Issue | undefined): string {
  const { outcome, reason } = attempt
  if (outcome !== 'disputed' || issue === undefined || isOpenDispute(attempt, issue)) return reason
  const answer =
    issue.status === 'open' ? 'disagreed: the issue is open' : `decided: the issue is ${issue.status}`
  return reason.replace(/ A person decides\.$/, ` A person ${answer.replaceAll('_', ' ')}.`)
}

function issueResult(attempt: Attempt, issue: Issue | undefined, session: Session) {
  const settled = attempt.stage === 'settled' ? attempt : null
  const last = attempt.rounds.at(-1)
  const fixed = settled?.outcome === 'fixed'
  return {
    issue_id: attempt.issue_id,
    issue_code: attempt.issue_code,
    title: issue?.title ?? null,
    file: issue?.file ?? null,
    status: settled ? statusAfter(settled.outcome) : ('in_progress' as const),
    outcome: settled?.outcome ?? waitsFor(attempt, session),
    reason:
      (settled && reasonNow(settled, issue)) ??
      (attempt.stage === 'held' ? attempt.question.reason : session.reason),
    commit_sha: settled?.commit_sha ?? null,
    commit_message: settled?.commit_message ?? null,
    changes_made: fixed ? (last?.report?.changes_summary ?? null) : null,
    error: settled && !fixed ? settled.reason : null,
    fix_code: fixed ? (last?.diff.slice(0, 500) ?? null) : null,
    fix_explanation: last?.report?.explanation ?? null,
    fix_files_modified: fixed ? (last?.files ?? []) : [],
    false_positive: settled?.outcome === 'false_positive',
    fix_self_score: last?.report?.confidence ?? null,
    fix_challenger_score: last?.challenge?.score ?? null,
    evidence: settled?.evidence ?? null,
    challenged: fixed && last?.challenge != null,
    reproduction: attempt.reproduction
      ? {
          agent: attempt.reproduction.run?.agent ?? null,
          tests: attempt.reproduction.test?.tests ?? [],
          reason: attempt.reproduction.reason,
          cost_usd: attempt.reproduction.run?.cost_usd ?? 0,
        }
      : null,
    rounds: attempt.rounds.map(roundResult),
    cost_usd: spentOn(attempt).usd,
  }
}

/** What an attempt that is not over waits for, in the words of an outcome. */
function waitsFor(attempt: Attempt, { halt }: Session): Outcome | null {
  if (attempt.stage === 'held') return 'held'
  return halt && exitOfHalt[halt.kind] === 4 ? 'over_budget' : null
}

function roundResult(round: Round) {
  const { run, verification } = round
  return {
    round: round.round,
    agent: {
      name: run.agent,
      model: run.model,
      ended: run.ending.ended === 'finished' ? 'finished' : run.ending.kind,
    },
    gates: round.gates.map(({ name, status, reason }) => ({ name, status, reason })),
    verification: verification && {
      status: verification.status,
      tree: verification.tree,
      restored: verification.restored ?? null,
      proof: verification.proof ?? null,
      reproduction: verification.reproduction ?? null,
      commands: verification.commands.map(({ name, status, exit_code, output }) => ({
        name,
        status,
        exit_code,
        output,
      })),
    },
    challenge: round.challenge,
    refusal: round.refusal,
    self_evaluation: round.report && {
      confidence: round.report.confidence,
      completeness: round.report.completeness,
      risks: round.report.risks,
    },
    diff: round.diff,
    files_outside_finding: round.files_outside_finding,
    no_changes: round.no_changes,
    cost_usd: spentInRound(round).usd,
    duration_ms: round.duration_ms,
  }
}
