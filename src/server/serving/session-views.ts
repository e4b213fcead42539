import type { Store } from '../../adapters/store/index.ts'
import type { StoredSession } from '../../loop/ports.ts'
import type { AttemptSummary, SessionDetail, SessionRow } from '../../model/api/sessions.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import { spentOn } from '../../model/attempt/spending.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { sessionResult } from '../../model/session/session-result.ts'
import { isDriven } from '../../adapters/process/run-mark.ts'

type OwnerAlive = Pick<Store, 'isOwnerAlive'>

/** A session as lists show it. */
export function sessionRowOf({ session, attempts }: StoredSession, store: OwnerAlive): SessionRow {
  const result = sessionResult(session, attempts, [])
  return {
    session_id: session.id,
    repository_id: session.repository_id,
    task_id: session.task_id,
    status: session.status,
    reason: session.reason,
    branch_name: result.branch_name,
    branch: session.branch,
    issues_requested: result.issues_requested,
    issues_fixed: result.issues_fixed,
    issues_failed: result.issues_failed,
    issues_skipped: result.issues_skipped,
    cost_usd: result.cost_usd,
    tokens: result.tokens,
    created_at: session.created_at,
    updated_at: session.updated_at,
    ended_at: session.ended_at,
    resumable: result.resumable,
    driven: isDriven(store, session),
  }
}

export interface DetailParts {
  readonly store: OwnerAlive
  readonly issues: readonly Issue[]
  readonly lastSeq: number
}

/** A session with everything but its rounds. */
export function sessionDetail(stored: StoredSession, { issues, lastSeq, store }: DetailParts): SessionDetail {
  const { session, attempts } = stored
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  return {
    ...sessionRowOf(stored, store),
    schema: 'fixpoint.session-detail.v1',
    base_commit: session.base.commit,
    tip_commit: session.tip.commit,
    plan: session.plan,
    options: session.options,
    attempts: attempts.map((attempt) => attemptSummary(attempt, issueOf.get(attempt.issue_id))),
    last_seq: lastSeq,
    verifications_run: session.verifications_run,
    warnings: session.warnings ?? [],
    base_branch: session.base_branch?.replace(/^refs\/heads\//, '') ?? null,
  }
}

const attemptSummary = (attempt: Attempt, issue: Issue | undefined): AttemptSummary => ({
  attempt_id: attempt.id,
  issue_id: attempt.issue_id,
  issue_code: attempt.issue_code,
  title: issue?.title ?? null,
  file: issue?.file ?? null,
  position: attempt.position,
  stage: attempt.stage,
  round: 'round' in attempt ? attempt.round : attempt.rounds.length,
  outcome: attempt.stage === 'settled' ? attempt.outcome : null,
  reason: reasonOf(attempt),
  cost_usd: spentOn(attempt).usd,
  issue_status: issue?.status ?? null,
  evidence: attempt.stage === 'settled' ? attempt.evidence : null,
  commit_sha: attempt.stage === 'settled' ? attempt.commit_sha : null,
})

function reasonOf(attempt: Attempt): string | null {
  if (attempt.stage === 'settled') return attempt.reason
  return attempt.stage === 'held' ? attempt.question.reason : null
}
