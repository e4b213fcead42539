import type { Attempt } from '../attempt/attempt.ts'
import type { Issue } from '../issue/issue.ts'
import type { Session } from './session.ts'

/** What an issue says of the fix that landed. */
export function fixedFields(
  attempt: Extract<Attempt, { stage: 'settled' }>,
  session: Pick<Session, 'id' | 'branch'>,
): Partial<Issue> {
  const last = attempt.rounds.at(-1)
  return {
    fix_code: last?.diff.slice(0, 500) ?? null,
    // Without a round another issue's fix was this one's too, and the reason says which.
    fix_explanation: last ? (last.report?.explanation ?? null) : attempt.reason,
    fix_files_modified: last?.files ?? [],
    fix_commit_sha: attempt.commit_sha,
    fix_branch: session.branch,
    fix_session_id: session.id,
    fix_self_score: last?.report?.confidence ?? null,
    fix_challenger_score: last?.challenge?.score ?? null,
    evidence: attempt.evidence,
  }
}
