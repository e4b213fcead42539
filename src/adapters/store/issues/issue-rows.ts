import type { Kysely } from 'kysely'
import { Issue } from '../../../model/issue.ts'
import { blanksOf } from '../blanks.ts'
import { chunks } from '../chunks.ts'
import { parseStored } from '../json.ts'
import { locked } from '../locked.ts'
import type { Database, Row, Tables } from '../tables.ts'

const blanks = blanksOf(Issue)

/** An issue as it was stored, by this version's own hand: not held to its schema. */
export const fillIssue = (data: unknown): Issue => blanks.fill(data) as Issue

export const parseIssue = (data: unknown): Issue => parseStored(Issue, blanks.fill(data))

export const issueRow = (issue: Issue): Row<'issue'> => ({
  id: issue.id,
  repository_id: issue.repository_id,
  task_id: issue.task_id,
  code: issue.code,
  fingerprint: issue.fingerprint,
  file: issue.file,
  status: issue.status,
  severity: issue.severity,
  rank: -issue.priority,
  search: searchable(`${issue.title}\n${issue.code}\n${issue.file ?? ''}`),
  data: blanks.format(issue),
})

/** Text as it is compared in searches. PostgreSQL's text holds no NUL. */
export const searchable = (text: string): string => text.replaceAll('\0', ' ').toLowerCase()

export async function insertIssues(
  db: Database,
  transaction: Kysely<Tables>,
  issues: readonly Issue[],
): Promise<void> {
  const [first] = issues
  if (!first) return
  const insert = transaction.insertInto('issue').values(issueRow(first)).compile()
  const rows = issues.values().map((issue) => Object.values(issueRow(issue)))
  await db.executeMany(transaction, insert, rows)
}

export async function updateIssues(
  db: Database,
  transaction: Kysely<Tables>,
  issues: readonly Issue[],
): Promise<void> {
  const [first] = issues
  if (!first) return
  const update = transaction.updateTable('issue').set(issueRow(first)).where('id', '=', first.id).compile()
  const rows = issues.values().map((issue) => [...Object.values(issueRow(issue)), issue.id])
  await db.executeMany(transaction, update, rows)
}

/** The issues of the given ids, in their order; ids that are not known are left out. */
export async function readIssues(query: Kysely<Tables>, ids: readonly string[]): Promise<readonly Issue[]> {
  const found = new Map<string, Issue>()
  for (const chunk of chunks(ids)) {
    const rows = await query.selectFrom('issue').select('data').where('id', 'in', chunk).execute()
    for (const row of rows) {
      const issue = parseIssue(row.data)
      found.set(issue.id, issue)
    }
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Reads issues that are about to be changed in this transaction. */
export async function readIssuesToChange(
  db: Database,
  transaction: Kysely<Tables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Issue>> {
  const found = new Map<string, Issue>()
  // Always in one order, so that two transactions never wait for each other.
  for (const chunk of chunks([...new Set(ids)].toSorted())) {
    const query = transaction.selectFrom('issue').select('data').where('id', 'in', chunk).orderBy('id')
    for (const row of await locked(db, query).execute()) {
      const issue = parseIssue(row.data)
      found.set(issue.id, issue)
    }
  }
  return found
}
