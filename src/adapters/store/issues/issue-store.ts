import { type Kysely, sql } from 'kysely'
import type { IssueStore, IssueTimelines, IssueTimeline } from '../../../loop/ports.ts'
import { type Actor, type Issue, isUnresolved, unresolvedStatuses } from '../../../model/issue/issue.ts'
import { moveOf, IssueMove } from '../../../model/issue/issue-move.ts'
import type { IssueId, RepositoryId } from '../../../model/id.ts'
import { chunks } from '../tables/chunks.ts'
import type { Database, Tables } from '../tables/tables.ts'
import { countFacets, groupIssues, takeCensus } from './count-facets.ts'
import { checkEdit, unknownIssue } from './edit-issue.ts'
import { readIssues, readIssuesToChange, updateIssues } from './issue-rows.ts'
import { parseIssue } from './issue-text.ts'
import { issueColumns } from './stored-issue.ts'
import { countListed, readIssuePage } from './list-issues.ts'
import { previewTriage, triage } from './triage.ts'
import { parseStored } from '../tables/stored-json.ts'

/** From this many on, writing them would keep everybody else waiting. */
const manyFindings = 2_000

export const issueStore = (db: Database): IssueStore => ({
  get: (ids) => readIssues(db.query, ids),
  byCode: (repositoryId, codes) => byCode(db, repositoryId, codes),
  list: (query) => readIssuePage(db, query),
  count: (filter) => countListed(db, filter),
  facets: (filter) => countFacets(db, filter),
  groups: (filter, by) => groupIssues(db, filter, by),
  census: (since) => takeCensus(db, since),
  histories: (repositoryId) => readHistories(db, repositoryId),
  change: (id, actor, edit) => change(db, id, { actor, edit }),
  previewTriage: (request) => previewTriage(db, request),
  triage: async (request) => triage(request.count < manyFindings ? db : await db.forMany(), request),
})

async function byCode(
  db: Database,
  repositoryId: RepositoryId,
  codes: readonly string[],
): Promise<readonly Issue[]> {
  const found = new Map<string, Issue>()
  for (const chunk of chunks(codes)) {
    const rows = await db.query
      .selectFrom('issue')
      .select(issueColumns)
      .where('repository_id', '=', repositoryId)
      .where('code', 'in', chunk)
      .execute()
    for (const row of rows) found.set(row.code, parseIssue(row))
  }
  return codes.flatMap((code) => found.get(code) ?? [])
}

interface Edit {
  readonly actor: Actor
  readonly edit: (issue: Issue) => Issue
}

const change = (db: Database, id: IssueId, { actor, edit }: Edit): Promise<Issue> =>
  db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, { issue: id })
    const before = (await readIssuesToChange(transaction, [id])).get(id)
    if (!before) throw unknownIssue(id)
    const after = checkEdit(before, edit(before), actor)
    const stamped = { ...after, updated_at: new Date(db.now()).toISOString() }
    await updateIssues(db, transaction, { issues: [stamped] })
    const moved = moveOf(before, stamped, actor)
    if (moved) await insertMove(transaction, id, moved)
    return stamped
  })

async function insertMove(transaction: Kysely<Tables>, id: IssueId, move: IssueMove): Promise<void> {
  const last = await transaction
    .selectFrom('issue_move')
    .select('number')
    .where('issue_id', '=', id)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  await transaction
    .insertInto('issue_move')
    .values({ issue_id: id, number: (last?.number ?? 0) + 1, data: JSON.stringify(move) })
    .execute()
}

/** Most issues are open and were never moved: the database counts those, and only the others are read. */
async function readHistories(db: Database, repositoryId: RepositoryId): Promise<IssueTimelines> {
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
    .where('status', 'in', unresolvedStatuses)
    .groupBy(sql`substr(created_at, 1, 10)`)
    .orderBy('day')
    .execute()
  const apart = Map.groupBy(
    moved.filter((issue) => isUnresolved(issue)),
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
        eb('status', 'not in', unresolvedStatuses),
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
