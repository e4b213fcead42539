import { Fault } from '../../../model/fault.ts'
import type { IssueId } from '../../../model/id.ts'
import { moveIssue, type Actor, type Issue } from '../../../model/issue/issue.ts'

/** Holds an edited issue to the lifecycle, however the edit was made. */
export function checkEdit(before: Issue, after: Issue, actor: Actor): Issue {
  const isSame =
    before.id === after.id && before.code === after.code && before.repository_id === after.repository_id
  if (!isSame)
    throw new Fault('internal', `${before.code}: an issue keeps its id, its code and its repository`)
  if (before.status !== after.status) moveIssue(before, after.status, actor)
  return after
}

/** Refuses to move an issue that a session is working on, on behalf of anyone else. */
export function refuseHeld(issue: Issue, sessionId: string | null): void {
  if (issue.status !== 'in_progress' || issue.fix_session_id === sessionId) return
  throw new Fault('busy', `${issue.code} is being fixed by session ${issue.fix_session_id ?? 'unknown'}`, {
    hint: 'Wait until that session has ended, resume it, or cancel it.',
    details: { code: issue.code, session_id: issue.fix_session_id },
  })
}

export const unknownIssue = (id: IssueId): Fault =>
  new Fault('not_found', `There is no issue ${id}`, { hint: 'List the known ones: fixpoint issues list' })
