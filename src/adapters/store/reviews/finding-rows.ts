import type { Kysely } from 'kysely'
import { Finding } from '../../../model/issue/finding.ts'
import type { IssueId } from '../../../model/id.ts'
import { blanksOf } from '../tables/blanks.ts'
import { parseRow } from '../tables/stored-json.ts'
import type { TableRow, Tables } from '../tables/tables.ts'

const blanks = blanksOf(Finding)

export const formatFinding = (finding: Finding): string => blanks.format(finding)

export const findingRow = (issueId: IssueId, finding: Finding): TableRow<'finding'> => ({
  issue_id: issueId,
  id: finding.id,
  review_id: finding.review_id,
  data: formatFinding(finding),
})

export const parseFinding = (json: string): Finding => parseRow(Finding, blanks.fill(json))

/** The findings that joined issues later, oldest first; the one that an issue was made of lies in the issue's own row. */
export async function readJoined(
  query: Kysely<Tables>,
  ids: readonly string[],
): Promise<readonly { readonly issueId: IssueId; readonly finding: Finding }[]> {
  const rows = await query
    .selectFrom('finding')
    .select(['issue_id', 'data'])
    .where('issue_id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map(({ issue_id, data }) => ({ issueId: issue_id as IssueId, finding: parseFinding(data) }))
}
