import type { Kysely } from 'kysely'
import type { NewIssue } from '../../../loop/ports.ts'
import type { RepositoryId } from '../../../model/id.ts'
import { formatCode, IssueClass, type Issue } from '../../../model/issue/issue.ts'
import type { Tables } from '../tables.ts'

/** Gives new issues the next codes of their class. A number is counted for ever, so none is given twice. */
export async function assignCodes(
  transaction: Kysely<Tables>,
  repositoryId: RepositoryId,
  issues: readonly NewIssue[],
): Promise<readonly Issue[]> {
  const last = new Map<IssueClass, number>()
  for (const issueClass of IssueClass.options) {
    const count = issues.reduce((sum, issue) => sum + (issue.class === issueClass ? 1 : 0), 0)
    if (count > 0) last.set(issueClass, (await reserve(transaction, repositoryId, issueClass, count)) - count)
  }
  return issues.map((issue) => {
    const number = (last.get(issue.class) ?? 0) + 1
    last.set(issue.class, number)
    // In place: a large import would hold a second copy of every new issue.
    return Object.assign(issue, { code: formatCode(issue.class, number) })
  })
}

/** The last of `count` new numbers. */
async function reserve(
  transaction: Kysely<Tables>,
  repositoryId: RepositoryId,
  issueClass: IssueClass,
  count: number,
): Promise<number> {
  const counter = await transaction
    .insertInto('code_counter')
    .values({ repository_id: repositoryId, class: issueClass, last: count })
    .onConflict((conflict) =>
      conflict
        .columns(['repository_id', 'class'])
        .doUpdateSet((is) => ({ last: is('code_counter.last', '+', count) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow()
  return counter.last
}
