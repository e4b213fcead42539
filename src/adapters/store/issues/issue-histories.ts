import { sql } from 'kysely'
import type { IssueTimelines, IssueTimeline } from '../../../loop/ports.ts'
import type { RepositoryId } from '../../../model/id.ts'
import { isUnsettled, unsettledStatuses } from '../../../model/issue/issue.ts'
import { IssueMove } from '../../../model/issue/issue-move.ts'
import { parseStored } from '../tables/stored-json.ts'
import type { Database } from '../tables/tables.ts'

/** Most issues are open and were never moved: the database counts those, and only the others are read. */
export async function readHistories(db: Database, repositoryId: RepositoryId): Promise<IssueTimelines> {
  const moves = await db.query
    .selectFrom('issue_move')
    .innerJoin('issue', 'issue.id', 'issue_move.issue_id')
    .select(['issue_move.issue_id', 'issue_move.data'])
    .where('issue.repository_id', '=', repositoryId)
    .orderBy('issue_move.issue_id')
    .orderBy('issue_move.number')
    .execute()
  const byIssue = Map.groupBy(moves, ({ issue_id }) => issue_id)
  const moved = await readMoved(db, repositoryId, byIssue)
  const counted = await db.query
    .selectFrom('issue')
    .select(({ fn }) => [sql<string>`substr(created_at, 1, 10)`.as('day'), fn.countAll().as('count')])
    .where('repository_id', '=', repositoryId)
    .where('status', 'in', unsettledStatuses)
    .groupBy(sql`substr(created_at, 1, 10)`)
    .orderBy('day')
    .execute()
  const apart = Map.groupBy(
    moved.filter((issue) => isUnsettled(issue)),
    ({ created_at }) => created_at.slice(0, 10),
  )
  const steady = counted
    .map(({ day, count }) => ({ day, count: Number(count) - (apart.get(day)?.length ?? 0) }))
    .filter(({ count }) => count > 0)
  return { steady, moved }
}

type Moves = ReadonlyMap<string, readonly { readonly data: string }[]>

async function readMoved(
  db: Database,
  repositoryId: RepositoryId,
  moves: Moves,
): Promise<readonly IssueTimeline[]> {
  const rows = await db.query
    .selectFrom('issue')
    .select(['id', 'status', 'created_at', 'data'])
    .where('repository_id', '=', repositoryId)
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('status', 'not in', unsettledStatuses),
        exists(selectFrom('issue_move').select('number').whereRef('issue_move.issue_id', '=', 'issue.id')),
      ]),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ id, status, created_at, data }) => ({
    id,
    status,
    created_at,
    // It is left out where it is the same.
    updated_at: (JSON.parse(data) as { readonly updated_at?: string }).updated_at ?? created_at,
    moves: (moves.get(id) ?? []).map((row) => parseStored(IssueMove, row.data)),
  }))
}
