import { isDriven } from '../../../app/fix/stored-session.ts'
import type { App } from '../../../app/open-app.ts'
import type { Session } from '../../../model/session/session.ts'
import { sessionResult } from '../../../model/session/session-result.ts'
import { withApp, type RunCommand } from '../../command/context.ts'

/** Older ones can still be shown by their id. */
const newest = 100

export const runListSessions: RunCommand<object> = (context) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    const sessions: SessionRow[] = []
    for (const session of await app.store.sessions.list(app.repository.id, newest))
      sessions.push(await toRow(app, session))
    const statusWidth = Math.max(9, ...sessions.map(({ status }) => status.length))
    output.print(
      sessions.length > 0
        ? sessions.map((row) => lineOf(row, statusWidth)).join('\n')
        : 'No sessions. fixpoint fix starts one.',
    )
    output.result({ schema: 'fixpoint.sessions.v1', sessions })
    return 0
  })

type SessionRow = Awaited<ReturnType<typeof toRow>>

async function toRow(app: App, session: Session) {
  const attempts = (await app.store.sessions.load(session.id))?.attempts ?? []
  const result = sessionResult(session, attempts, [])
  return {
    session_id: session.id,
    status: session.status,
    reason: session.reason,
    branch_name: result.branch_name,
    issues_requested: result.issues_requested,
    issues_fixed: result.issues_fixed,
    issues_failed: result.issues_failed,
    issues_skipped: result.issues_skipped,
    created_at: session.created_at,
    ended_at: session.ended_at,
    resumable: result.resumable,
    driven: session.owner !== null && isDriven(session.owner),
  }
}

function stateOf({ driven, status, resumable }: SessionRow): string {
  if (driven) return 'at work'
  if (status === 'awaiting_approval') return 'waits: fixpoint approve or fixpoint reject'
  return resumable ? 'stopped: fixpoint resume goes on' : ''
}

function lineOf(row: SessionRow, statusWidth: number): string {
  const counts = `${row.issues_fixed} fixed, ${row.issues_failed} failed, ${row.issues_skipped} skipped of ${row.issues_requested}`
  return [
    row.session_id,
    row.created_at.slice(0, 16).replace('T', ' '),
    row.status.padEnd(statusWidth),
    counts,
    row.branch_name ?? '(no branch)',
    stateOf(row),
  ]
    .filter(Boolean)
    .join('  ')
}
