import type { Kysely } from 'kysely'
import type { IssueStore } from '../../../loop/ports.ts'
import type { Actor, Issue } from '../../../model/issue/issue.ts'
import { moveOf, type IssueMove } from '../../../model/issue/issue-move.ts'
import type { IssueId, RepositoryId } from '../../../model/id.ts'
import { chunks } from '../tables/chunks.ts'
import type { Database, Tables } from '../tables/tables.ts'
import { countFacets, groupIssues, takeCensus } from './count-facets.ts'
import { checkEdit, unknownIssue } from './edit-issue.ts'
import { readHistories } from './issue-histories.ts'
import { readIssues, readIssuesToChange, updateIssues } from './issue-rows.ts'
import { issueColumns, parseIssue } from './issue-text.ts'
import { countListed, readIssuePage } from './list-issues.ts'
import { previewTriage, triage } from './triage.ts'

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
