import type { Kysely } from 'kysely'
import { Finding } from '../../../model/issue/finding.ts'
import type { IssueId } from '../../../model/id.ts'
import { blanksOf } from '../tables/blanks.ts'
import { parseRow } from '../tables/stored-json.ts'
import type { TableRow, Tables } from '../tables/tables.ts'

const blanks = blanksOf(Finding)

/**
 * As the blanks would write it. Each field is named here, because an import writes very many findings, and asking for
 * fields by names that are not in the code takes twice as long; a test compares the two.
 */
export const formatFinding = (finding: Finding): string =>
  JSON.stringify({
    source: finding.source,
    rule: finding.rule ?? undefined,
    title: finding.title,
    description: finding.description,
    severity: finding.severity,
    severity_note: finding.severity_note ?? undefined,
    category: finding.category,
    file: finding.file ?? undefined,
    line: finding.line ?? undefined,
    end_line: finding.end_line ?? undefined,
    suggested_fix: finding.suggested_fix ?? undefined,
    // JSON leaves out what is undefined.
    references: finding.references.length > 0 ? finding.references : undefined,
    estimated_effort: finding.estimated_effort ?? undefined,
    estimated_files_count: finding.estimated_files_count ?? undefined,
    group: finding.group ?? undefined,
    suppressed: finding.suppressed ?? undefined,
    place_note: finding.place_note ?? undefined,
    column: finding.column,
    marks: finding.marks,
    snippet: finding.snippet,
    id: finding.id,
    review_id: finding.review_id,
    anchor: finding.anchor,
    current_code: finding.current_code ?? undefined,
    fingerprint: finding.fingerprint,
  })

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
