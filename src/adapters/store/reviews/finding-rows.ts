import { Finding } from '../../../model/issue/finding.ts'
import type { IssueId } from '../../../model/id.ts'
import { blanksOf } from '../tables/blanks.ts'
import { parseRow } from '../tables/stored-json.ts'
import type { TableRow } from '../tables/tables.ts'

const blanks = blanksOf(Finding)

export const formatFinding = (finding: Finding): string => blanks.format(finding)

export const findingRow = (issueId: IssueId, finding: Finding): TableRow<'finding'> => ({
  issue_id: issueId,
  id: finding.id,
  review_id: finding.review_id,
  data: formatFinding(finding),
})

export const parseFinding = (json: string): Finding => parseRow(Finding, blanks.fill(json))
