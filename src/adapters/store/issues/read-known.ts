import type { Kysely } from 'kysely'
import type { Finding } from '../../../model/issue/finding.ts'
import type { RepositoryId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { chunks } from '../chunks.ts'
import type { Tables } from '../tables.ts'
import { fingerprintStart } from './issue-rows.ts'
import { fillIssue, issueColumns, type StoredIssue } from './issue-text.ts'

/** The issues that share a fingerprint or a file with a finding. Rows are our own: at this number they are not checked. */
export async function readKnown(
  transaction: Kysely<Tables>,
  repositoryId: RepositoryId,
  findings: readonly Finding[],
): Promise<readonly Issue[]> {
  const issues = transaction.selectFrom('issue').select(issueColumns)
  const ofRepository = issues.where('repository_id', '=', repositoryId)
  if (!(await ofRepository.limit(1).executeTakeFirst())) return []
  const known = new Map<string, Issue>()
  const keep = (rows: readonly StoredIssue[], isWanted: (issue: Issue) => boolean): void => {
    for (const row of rows) {
      if (known.has(row.id) || row.repository_id !== repositoryId) continue
      const issue = fillIssue(row)
      if (isWanted(issue)) known.set(issue.id, issue)
    }
  }
  const files = new Set(findings.flatMap((finding) => finding.file ?? []))
  for (const chunk of chunks([...files]))
    keep(await ofRepository.where('file', 'in', chunk).execute(), () => true)
  const fingerprints = new Set(findings.map((finding) => finding.fingerprint))
  const starts = new Set(fingerprints.values().map(fingerprintStart))
  for (const chunk of chunks([...starts]))
    keep(await issues.where('fingerprint', 'in', chunk).execute(), (issue) =>
      fingerprints.has(issue.fingerprint),
    )
  return [...known.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
