import type { Kysely } from 'kysely'
import type { Finding } from '../../../model/issue/finding.ts'
import type { CommitId, RepositoryId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import type { Review } from '../../../model/issue/review.ts'
import type { Voices, VoicesOf } from '../../../loop/ports.ts'
import { parseFinding, readJoined } from '../reviews/finding-rows.ts'
import { chunks } from '../tables/chunks.ts'
import type { Tables } from '../tables/tables.ts'
import { fingerprintStart } from './issue-rows.ts'
import { fillIssue, issueColumns, type StoredIssue } from './stored-issue.ts'

/** More names in one query than usual, so that there are fewer queries: nothing is written while they run. */
const namesAtOnce = 2_000

/**
 * The issues that share a fingerprint or a file with a finding, as their rows say or, where a row is not
 * written yet, as it will say. Rows are not validated here: they are our own, and there are too many.
 */
export async function readKnown(
  transaction: Kysely<Tables>,
  repositoryId: RepositoryId,
  { findings, unwritten, commit }: KnownRequest,
): Promise<KnownIssues> {
  const files = new Set(findings.map((finding) => finding.file))
  const fingerprints = new Set(findings.map((finding) => finding.fingerprint))
  const isWanted = (issue: Issue): boolean =>
    (issue.file !== null && files.has(issue.file)) || fingerprints.has(issue.fingerprint)
  const rows = await readSharing(transaction, repositoryId, { files, fingerprints })
  const known = new Map<string, Issue>()
  const leads = new Map<string, string>()
  for (const row of rows) {
    if (row.repository_id !== repositoryId || known.has(row.id)) continue
    const issue = fillIssue(row)
    known.set(row.id, issue)
    if (row.lead !== null && issue.flagged_by.length > 1) leads.set(row.id, row.lead)
  }
  for (const issue of unwritten) {
    if (known.has(issue.id) || isWanted(issue)) known.set(issue.id, issue)
    leads.delete(issue.id)
  }
  const voices = await readVoices(transaction, leads, commit)
  return {
    issues: [...known.values()].filter(isWanted).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    voicesOf: (id) => voices.get(id) ?? null,
  }
}

export interface KnownIssues {
  readonly issues: readonly Issue[]
  readonly voicesOf: VoicesOf
}

interface KnownRequest {
  readonly findings: readonly Finding[]
  readonly unwritten: readonly Issue[]
  /** What is reviewed now. */
  readonly commit: CommitId
}

/** The findings of issues that have several sources. */
async function readVoices(
  transaction: Kysely<Tables>,
  leads: ReadonlyMap<string, string>,
  commit: CommitId,
): Promise<ReadonlyMap<string, Voices>> {
  const voices = new Map([...leads].map(([id, lead]) => [id, [parseFinding(lead)]]))
  for (const ids of chunks([...leads.keys()])) {
    for (const { issueId, finding } of await readJoined(transaction, ids)) voices.get(issueId)?.push(finding)
  }
  const reviews = new Set([...voices.values()].flatMap((some) => some.map(({ review_id }) => review_id)))
  const here = await reviewsOf(transaction, [...reviews], commit)
  return new Map(
    [...voices].map(([id, findings]) => {
      const isOfThisCommit = findings.every(({ review_id }) => here.has(review_id))
      return [id, { findings, isOfThisCommit }]
    }),
  )
}

async function reviewsOf(
  transaction: Kysely<Tables>,
  ids: readonly string[],
  commit: CommitId,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const chunk of chunks(ids)) {
    const rows = await transaction
      .selectFrom('review')
      .select(['id', 'data'])
      .where('id', 'in', chunk)
      .execute()
    for (const { id, data } of rows)
      if ((JSON.parse(data) as Pick<Review, 'commit'>).commit === commit) found.add(id)
  }
  return found
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
