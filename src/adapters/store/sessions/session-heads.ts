import type { SessionHead, SessionHeadQuery } from '../../../loop/ports.ts'
import { RepositoryId, SessionId } from '../../../model/id.ts'
import type { Database, TableRow } from '../tables/tables.ts'

const columns = ['id', 'repository_id', 'status', 'owner'] as const

const headOf = (row: Pick<TableRow<'session'>, (typeof columns)[number]>): SessionHead => ({
  id: SessionId.parse(row.id),
  repositoryId: RepositoryId.parse(row.repository_id),
  status: row.status,
  owner: row.owner,
})

/** Lists sessions by their columns alone: what a session holds takes much longer to read. */
export async function readHeads(
  { query }: Pick<Database, 'query'>,
  { repositoryId, status, before, isTimed, limit }: SessionHeadQuery,
): Promise<readonly SessionHead[]> {
  const rows = await query
    .selectFrom('session')
    .select(columns)
    .$if(repositoryId !== undefined, (session) => session.where('repository_id', '=', repositoryId ?? ''))
    .$if(status !== undefined, (session) => session.where('status', 'in', status ?? []))
    .$if(before !== undefined, (session) => session.where('id', '<', before ?? ''))
    // Inside of a text its quotes would be escaped.
    .$if(isTimed === true, (session) => session.where('data', 'like', '%"until":"%'))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(headOf)
}

/** A session asks by one of its attempts, or before it begins. */
export async function readAsking(
  { query }: Pick<Database, 'query'>,
  repositoryId: RepositoryId | undefined,
): Promise<readonly SessionHead[]> {
  const rows = await query
    .selectFrom('session')
    .select(columns)
    .$if(repositoryId !== undefined, (session) => session.where('repository_id', '=', repositoryId ?? ''))
    .where((is) =>
      is.or([
        is('status', '=', 'awaiting_clarification'),
        is('id', 'in', (asked) =>
          asked.selectFrom('attempt').select('session_id').where('asks', '=', 'held'),
        ),
        // A dispute is over as soon as somebody moved its issue.
        is('id', 'in', (asked) =>
          asked
            .selectFrom('attempt')
            .innerJoin('issue', 'issue.id', 'attempt.issue_id')
            .select('attempt.session_id')
            .where('attempt.asks', '=', 'dispute')
            .where('issue.status', '=', 'open'),
        ),
      ]),
    )
    .orderBy('id', 'desc')
    .execute()
  return rows.map(headOf)
}
