import type { Kysely } from 'kysely'
import type { NewIssue } from '../../../loop/ports.ts'
import type { RepositoryId } from '../../../model/id.ts'
import { formatCode, type Issue, type IssueClass } from '../../../model/issue/issue.ts'
import type { Tables } from '../tables/tables.ts'

/** Gives new issues the next codes of their class. Numbers only go up, so none is given twice. */
export interface CodeCounter {
  assign(issues: readonly NewIssue[]): readonly Issue[]
  /** Stores the last numbers, in the transaction that has locked the repository since they were read. */
  store(): Promise<void>
}

export async function readCodeCounter(
  transaction: Kysely<Tables>,
  repositoryId: RepositoryId,
): Promise<CodeCounter> {
  const counted = await transaction
    .selectFrom('code_counter')
    .select(['class', 'last'])
    .where('repository_id', '=', repositoryId)
    .execute()
  const last = new Map<IssueClass, number>(counted.map((row) => [row.class, row.last]))
  return {
    assign: (issues) =>
      issues.map((issue) => {
        const number = (last.get(issue.class) ?? 0) + 1
        last.set(issue.class, number)
        // In place: a large import would hold a second copy of every new issue.
        return Object.assign(issue, { code: formatCode(issue.class, number) })
      }),
    async store() {
      if (last.size === 0) return
      await transaction
        .insertInto('code_counter')
        .values(
          [...last].map(([issueClass, number]) => ({
            repository_id: repositoryId,
            class: issueClass,
            last: number,
          })),
        )
        .onConflict((conflict) =>
          conflict
            .columns(['repository_id', 'class'])
            .doUpdateSet((row) => ({ last: row.ref('excluded.last') })),
        )
        .execute()
    },
  }
}
