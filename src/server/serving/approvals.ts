import type { StoredSession } from '../../loop/ports.ts'
import type { PendingApproval } from '../../model/api/sessions.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import { isOpenDispute } from '../../model/attempt/dispute.ts'
import type { Issue } from '../../model/issue/issue.ts'

/** Names one question: another round asks another one. */
const approvalIdOf = ({ id }: Attempt, round: number): string => `${id}-${round}`

/** What a session asks of a person: held patches, and disputes that nobody has settled since. */
export function approvalsOf(
  { session, attempts }: StoredSession,
  issues: readonly Issue[],
): readonly PendingApproval[] {
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  return attempts.flatMap((attempt) => {
    const issue = issueOf.get(attempt.issue_id)
    const asked = heldQuestion(attempt) ?? disputeQuestion(attempt, issue)
    if (!asked) return []
    return {
      approval_id: approvalIdOf(attempt, asked.round),
      session_id: session.id,
      repository_id: session.repository_id,
      attempt_id: attempt.id,
      issue_id: attempt.issue_id,
      issue_code: attempt.issue_code,
      title: issue?.title ?? null,
      ...asked,
    }
  })
}

type Asked = Pick<PendingApproval, 'gate' | 'question' | 'reason' | 'files' | 'diff' | 'round'>

function heldQuestion(attempt: Attempt): Asked | null {
  if (attempt.stage !== 'held') return null
  const { question: gate, diff, round } = attempt
  return {
    gate: gate.name,
    question: gate.asks?.question ?? '',
    reason: gate.reason,
    files: gate.paths ?? [],
    diff,
    round,
  }
}

function disputeQuestion(attempt: Attempt, issue: Issue | undefined): Asked | null {
  if (!isOpenDispute(attempt, issue)) return null
  const { reason, rounds } = attempt
  return {
    gate: 'dispute',
    question: 'Is the finding a false positive, as the fixer says and the challenger does not?',
    reason,
    files: [],
    diff: rounds.at(-1)?.diff ?? '',
    round: rounds.length,
  }
}
