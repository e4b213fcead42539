import type { NewSession } from '../../../loop/ports.ts'
import type { FixEvent } from '../../../model/session/event.ts'
import { moveIssue, type Issue } from '../../../model/issue/issue.ts'
import type { Session } from '../../../model/session/session.ts'
import { refuseHeld, unknownIssue } from '../issues/edit-issue.ts'
import { readIssuesToChange, updateIssues } from '../issues/issue-rows.ts'
import type { Database } from '../tables/tables.ts'
import { refuseRunning, rememberRequest } from './session-request.ts'
import { appendEvents, putAttempts, sessionColumns } from './session-rows.ts'

/** Claims every issue for the session, or stores nothing. */
export const createSession = (
  db: Database,
  { session, attempts, events, key }: NewSession,
): Promise<readonly FixEvent[]> =>
  db.query.transaction().execute(async (transaction) => {
    const at = new Date(db.now()).toISOString()
    const known = await readIssuesToChange(transaction, session.issue_ids)
    if (key) await refuseRunning(db, transaction, key)
    const claimed = session.issue_ids.map((id) => {
      const issue = known.get(id)
      if (!issue || issue.repository_id !== session.repository_id) throw unknownIssue(id)
      return { ...claim(issue, session), updated_at: at }
    })
    await transaction
      .insertInto('session')
      .values({ ...sessionColumns(session), last_seq: events.length })
      .execute()
    if (key) await rememberRequest(db, transaction, { key, session })
    await updateIssues(db, transaction, { issues: claimed })
    await putAttempts(db, transaction, attempts)
    return appendEvents(db, transaction, { sessionId: session.id, lastSeq: 0, events })
  })

function claim(issue: Issue, session: Session): Issue {
  refuseHeld(issue, session.id)
  return { ...moveIssue(issue, 'in_progress', 'engine'), fix_session_id: session.id }
}
