import { sql, type Kysely } from 'kysely'
import type { CountedIssue, Tables } from '../tables/tables.ts'

/** Adds inserted issues to the totals: once for many of them, which costs nothing, and a trigger would for each. */
export async function countInserted(
  transaction: Kysely<Tables>,
  issues: readonly CountedIssue[],
): Promise<void> {
  for (const { repository_id, status, severity, count } of countAlike(issues)) {
    await transaction
      .insertInto('issue_total')
      .values({ repository_id, status, severity, count })
      .onConflict((conflict) =>
        conflict
          .columns(['repository_id', 'status', 'severity'])
          .doUpdateSet({ count: sql<number>`issue_total.count + excluded.count` }),
      )
      .execute()
  }
}

type Counted = { -readonly [Name in keyof CountedIssue]: CountedIssue[Name] } & { count: number }

function countAlike(issues: readonly CountedIssue[]): readonly Counted[] {
  const counts: Counted[] = []
  for (const { repository_id, status, severity } of issues) {
    const known = counts.find(
      (one) => one.severity === severity && one.status === status && one.repository_id === repository_id,
    )
    if (known) known.count += 1
    else counts.push({ repository_id, status, severity, count: 1 })
  }
  return counts
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
