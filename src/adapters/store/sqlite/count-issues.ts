import { sql, type Kysely } from 'kysely'
import type { CountedIssue, Tables } from '../tables/tables.ts'

/** Adds inserted issues to the totals: once for many of them, which costs nothing, and a trigger would for each. */
export async function countInserted(
  transaction: Kysely<Tables>,
  issues: readonly CountedIssue[],
): Promise<void> {
  const alike = Map.groupBy(issues, (issue) => `${issue.repository_id} ${issue.status} ${issue.severity}`)
  for (const some of alike.values()) {
    const [first] = some
    if (!first) continue
    const { repository_id, status, severity } = first
    await transaction
      .insertInto('issue_total')
      .values({ repository_id, status, severity, count: some.length })
      .onConflict((conflict) =>
        conflict
          .columns(['repository_id', 'status', 'severity'])
          .doUpdateSet({ count: sql<number>`issue_total.count + excluded.count` }),
      )
      .execute()
  }
}

/** Counts all issues again, after they were inserted by other means. */
export async function countAllIssues(query: Kysely<Tables>): Promise<void> {
  await query.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('issue_total').execute()
    await transaction
      .insertInto('issue_total')
      .columns(['repository_id', 'status', 'severity', 'count'])
      .expression(
        transaction
          .selectFrom('issue')
          .select((issue) => ['repository_id', 'status', 'severity', issue.fn.countAll<number>().as('count')])
          .groupBy(['repository_id', 'status', 'severity']),
      )
      .execute()
  })
}
