import type { Kysely } from 'kysely'
import type { Finding } from '../../../model/issue/finding.ts'
import type { RepositoryId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { chunks } from '../tables/chunks.ts'
import type { Tables } from '../tables/tables.ts'
import { fingerprintStart } from './issue-rows.ts'
import { fillIssue, issueColumns, type StoredIssue } from './issue-text.ts'

/** More names in one query than usual, so that there are fewer queries: nothing is written while they run. */
const namesAtOnce = 2_000

/**
 * The issues that share a fingerprint or a file with a finding, as their rows say or, where a row is not
 * written yet, as it will say. Rows are not validated here: they are our own, and there are too many.
 */
export async function readKnown(
  transaction: Kysely<Tables>,
  repositoryId: RepositoryId,
  { findings, unwritten }: { readonly findings: readonly Finding[]; readonly unwritten: readonly Issue[] },
): Promise<readonly Issue[]> {
  const files = new Set(findings.map((finding) => finding.file))
  const fingerprints = new Set(findings.map((finding) => finding.fingerprint))
  const isWanted = (issue: Issue): boolean =>
    (issue.file !== null && files.has(issue.file)) || fingerprints.has(issue.fingerprint)
  const rows = await readSharing(transaction, repositoryId, { files, fingerprints })
  const known = new Map<string, Issue>()
  for (const row of rows) {
    if (row.repository_id !== repositoryId || known.has(row.id)) continue
    known.set(row.id, fillIssue(row))
  }
  for (const issue of unwritten) if (known.has(issue.id) || isWanted(issue)) known.set(issue.id, issue)
  return [...known.values()].filter(isWanted).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

async function readSharing(
  transaction: Kysely<Tables>,
  repositoryId: RepositoryId,
  shared: {
    readonly files: ReadonlySet<string | null>
    readonly fingerprints: ReadonlySet<string>
  },
): Promise<readonly StoredIssue[]> {
  const issues = transaction.selectFrom('issue').select(issueColumns)
  const ofRepository = issues.where('repository_id', '=', repositoryId)
  const starts = [...shared.fingerprints].map(fingerprintStart)
  const named = [...shared.files].filter((file) => file !== null)
  const found: StoredIssue[][] = []
  for (const chunk of chunks(named, namesAtOnce))
    found.push(await ofRepository.where('file', 'in', chunk).execute())
  for (const chunk of chunks(starts, namesAtOnce))
    found.push(await issues.where('fingerprint', 'in', chunk).execute())
  return found.flat()
}
