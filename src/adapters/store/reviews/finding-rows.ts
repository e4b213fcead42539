import { Finding } from '../../../model/finding.ts'
import type { IssueId } from '../../../model/id.ts'
import { blanksOf } from '../blanks.ts'
import { parseStored } from '../json.ts'
import type { Row } from '../tables.ts'

const blanks = blanksOf(Finding)

export const findingRow = (finding: Finding, issueId: IssueId): Row<'finding'> => ({
  issue_id: issueId,
  id: finding.id,
  review_id: finding.review_id,
  data: blanks.format(finding),
})

export const parseFinding = (data: unknown): Finding => parseStored(Finding, blanks.fill(data))
