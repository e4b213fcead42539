import type { SessionRow } from '../../../model/api/sessions.ts'
import { sessionRowOf } from '../../../server/serving/session-views.ts'
import { withApp, type RunCommand } from '../../command/context.ts'

/** Older ones can still be shown by their id. */
const newest = 100

export const runListSessions: RunCommand<object> = (context) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    const sessions: SessionRow[] = []
    for (const session of await app.store.sessions.list(app.repository.id, newest)) {
      const attempts = (await app.store.sessions.load(session.id))?.attempts ?? []
      sessions.push(sessionRowOf({ session, attempts }, app.store))
    }
    const statusWidth = Math.max(9, ...sessions.map(({ status }) => status.length))
    output.print(
      sessions.length > 0
        ? sessions.map((row) => lineOf(row, statusWidth)).join('\n')
        : 'No sessions. fixpoint fix starts one.',
    )
    output.result({ schema: 'fixpoint.sessions.v1', sessions })
    return 0
  })

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
