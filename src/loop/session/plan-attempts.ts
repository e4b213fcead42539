import type { Attempt } from '../../model/attempt/attempt.ts'
import type { AttemptId, IssueId } from '../../model/id.ts'
import { issuesInOrder, predecessorsIn, type Plan } from '../../model/session/plan.ts'
import type { Session } from '../../model/session/session.ts'

/** One attempt per issue; each waits for the one before it on its file and for what it depends on. */
export function planAttempts(
  plan: Plan,
  { id: session_id, options }: Pick<Session, 'id' | 'options'>,
  newId: () => AttemptId,
): readonly Attempt[] {
  const before = predecessorsIn(plan)
  const attemptOf = new Map<IssueId, AttemptId>()
  return issuesInOrder(plan).map(({ issue_id, code, file }, position) => {
    const id = newId()
    attemptOf.set(issue_id, id)
    return {
      stage: 'queued',
      id,
      session_id,
      issue_id,
      issue_code: code,
      position,
      files: file ? [file] : [],
      after: (before.get(issue_id) ?? []).flatMap((one) => attemptOf.get(one) ?? []),
      policy: options.policy,
      rounds: [],
      deferrals: 0,
    }
  })
}
