import type { Ledger, ReviewStore } from '../../../loop/ports.ts'
import { Attempt } from '../../../model/attempt/attempt.ts'
import { FixEvent } from '../../../model/session/event.ts'
import type { Finding } from '../../../model/issue/finding.ts'
import type { IssueId, RepositoryId } from '../../../model/id.ts'
import { IssueMove } from '../../../model/issue/issue-move.ts'
import { Review } from '../../../model/issue/review.ts'
import { parseStored, readNewest, readStored } from '../tables/stored-json.ts'
import type { Database } from '../tables/tables.ts'
import { parseFinding, readJoined } from './finding-rows.ts'

export const reviewStore = (db: Database): ReviewStore => ({
  get: (id) => readStored(db.query, { table: 'review', schema: Review }, id),
  list: (repositoryId, limit) => readNewest(db, { table: 'review', schema: Review }, { repositoryId, limit }),
  newestOfEach: () => listNewestOfEach(db),
  running: (repositoryId, newest) => listRunning(db, repositoryId, newest),
  findingsOf: (issueId) => findingsOf(db, issueId),
  ledger: (issueId) => ledger(db, issueId),
})

/** Ids ascend with time. */
async function listNewestOfEach({ query }: Pick<Database, 'query'>): Promise<readonly Review[]> {
  const newest = query
    .selectFrom('review')
    .select((review) => review.fn.max('id').as('id'))
    .groupBy('repository_id')
  const rows = await query.selectFrom('review').select('data').where('id', 'in', newest).execute()
  return rows.map(({ data }) => parseStored(Review, data))
}

/** A review's row names all of its files, so that only those that are asked for are read. */
async function listRunning(
  { query }: Pick<Database, 'query'>,
  repositoryId: RepositoryId,
  newest: number,
): Promise<readonly Review[]> {
  const rows = await query
    .selectFrom(
      query
        .selectFrom('review')
        .select('data')
        .where('repository_id', '=', repositoryId)
        .orderBy('id', 'desc')
        .limit(newest)
        .as('newest'),
    )
    .select('data')
    .where('data', 'like', '%"running":{%')
    .execute()
  return rows.map(({ data }) => parseStored(Review, data)).filter(({ running }) => running !== undefined)
}

/** The finding that the issue was made of lies in its row; those that joined it later lie in a table of their own. */
async function findingsOf({ query }: Pick<Database, 'query'>, issueId: IssueId): Promise<readonly Finding[]> {
  const issue = await query.selectFrom('issue').select('lead').where('id', '=', issueId).executeTakeFirst()
  const lead = issue?.lead ? [parseFinding(issue.lead)] : []
  const joined = await readJoined(query, [issueId])
  return [...lead, ...joined.map(({ finding }) => finding)].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

async function ledger(db: Database, issueId: IssueId): Promise<Ledger> {
  const attempts = await db.query
    .selectFrom('attempt')
    .select('data')
    .where('issue_id', '=', issueId)
    .orderBy('id')
    .execute()
  const events = await db.query
    .selectFrom('event')
    .select('data')
    .where('issue_id', '=', issueId)
    .orderBy('session_id')
    .orderBy('seq')
    .execute()
  const moves = await db.query
    .selectFrom('issue_move')
    .select('data')
    .where('issue_id', '=', issueId)
    .orderBy('number')
    .execute()
  return {
    findings: await findingsOf(db, issueId),
    attempts: attempts.map((row) => parseStored(Attempt, row.data)),
    events: events.map((row) => parseStored(FixEvent, row.data)),
    moves: moves.map((row) => parseStored(IssueMove, row.data)),
  }
}
