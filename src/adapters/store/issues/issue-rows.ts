import type { Kysely } from 'kysely'
import { Fault } from '../../../model/fault.ts'
import type { Finding } from '../../../model/issue/finding.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { chunks } from '../tables/chunks.ts'
import { formatFinding } from '../reviews/finding-rows.ts'
import type { Database, TableRow, Tables } from '../tables/tables.ts'
import { formatIssue, parseIssue } from './issue-text.ts'
import { issueColumns, type StoredIssue } from './stored-issue.ts'

/** The part of a fingerprint that is indexed: enough to find it by, and short, so that the index stays small. */
export const fingerprintStart = (fingerprint: string): string => fingerprint.slice(0, 16)

/** A new issue's row, which also holds the finding that the issue was made of. */
const newRow = (issue: Issue, lead: Finding | null): TableRow<'issue'> =>
  Object.assign(lookedUp(issue), {
    source: lead?.source.kind ?? null,
    lead: lead === null ? null : formatFinding(lead),
    data: formatIssue(issue, lead),
  })

/** A changed issue's row without the columns that are as they were: writing the same value costs as much as a new one. */
function changedRow(issue: Issue, before: Issue | null): Partial<TableRow<'issue'>> {
  const data = formatIssue(issue, null)
  const now = lookedUp(issue)
  if (before === null) return { ...now, data }
  const was: Readonly<Record<string, unknown>> = lookedUp(before)
  return { ...Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== was[name])), data }
}

type LookedUp = Omit<TableRow<'issue'>, 'lead' | 'data' | 'source'>

const lookedUp = (issue: Issue): LookedUp => ({
  id: issue.id,
  repository_id: issue.repository_id,
  task_id: issue.task_id,
  code: issue.code,
  fingerprint: fingerprintStart(issue.fingerprint),
  file: issue.file,
  status: issue.status,
  severity: issue.severity,
  rank: -issue.priority,
  search: searchable(`${issue.title}\n${issue.code}\n${issue.file ?? ''}`),
  rule: issue.rule,
  tools: `\n${issue.flagged_by.map((name) => `${name}\n`).join('')}`,
  folder: issue.file === null ? null : folderOf(issue.file),
  created_at: issue.created_at,
})

const folderOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf('/')))

/** Text as it is compared in searches. PostgreSQL's text holds no NUL. */
export const searchable = (text: string): string =>
  (text.includes('\0') ? text.replaceAll('\0', ' ') : text).toLowerCase()

export async function insertIssues(
  db: Database,
  transaction: Kysely<Tables>,
  {
    issues,
    leads,
  }: { readonly issues: readonly Issue[]; readonly leads: ReadonlyMap<string, Finding | null> },
): Promise<void> {
  const [first] = issues
  if (!first) return
  const rowOf = (issue: Issue) => newRow(issue, leads.get(issue.id) ?? null)
  const insert = transaction.insertInto('issue').values(rowOf(first)).compile()
  const rows = issues.values().map((issue) => Object.values(rowOf(issue)))
  await db.executeMany(transaction, insert, rows)
  await db.countInserted(transaction, issues)
}

interface ChangedIssues {
  readonly issues: readonly Issue[]
  /** The issues as they were, where that is known: columns that are still the same are not written. */
  readonly before?: ReadonlyMap<string, Issue>
}

export async function updateIssues(
  db: Database,
  transaction: Kysely<Tables>,
  { issues, before = new Map() }: ChangedIssues,
): Promise<void> {
  const changes = issues.map((issue) => ({
    id: issue.id,
    row: changedRow(issue, before.get(issue.id) ?? null),
  }))
  for (const alike of Map.groupBy(changes, ({ row }) => Object.keys(row).join()).values()) {
    const [first] = alike
    if (!first) continue
    const update = transaction.updateTable('issue').set(first.row).where('id', '=', first.id).compile()
    const rows = alike.values().map(({ id, row }) => [...Object.values(row), id])
    await db.executeMany(transaction, update, rows)
  }
}

/**
 * The issues of the given ids, in their order; ids that are not known are left out. So are rows that cannot be read,
 * where somebody is told of them.
 */
export async function readIssues(
  query: Kysely<Tables>,
  ids: readonly string[],
  onUnreadable?: (fault: Fault) => void,
): Promise<readonly Issue[]> {
  const found = new Map<string, Issue>()
  for (const chunk of chunks(ids)) {
    const rows = await query.selectFrom('issue').select(issueColumns).where('id', 'in', chunk).execute()
    for (const row of rows) {
      const issue = onUnreadable ? parseOrReport(row, onUnreadable) : parseIssue(row)
      if (issue) found.set(issue.id, issue)
    }
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

function parseOrReport(row: StoredIssue, report: (fault: Fault) => void): Issue | null {
  try {
    return parseIssue(row)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'store_failed') throw error
    report(error)
    return null
  }
}

/** Reads issues that are about to be changed in this transaction. */
export async function readIssuesToChange(
  transaction: Kysely<Tables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Issue>> {
  const found = new Map<string, Issue>()
  // Always in one order, so that two transactions never wait for each other.
  for (const chunk of chunks([...new Set(ids)].toSorted())) {
    const query = transaction.selectFrom('issue').select(issueColumns).where('id', 'in', chunk).orderBy('id')
    for (const row of await query.execute()) {
      const issue = parseIssue(row)
      found.set(issue.id, issue)
    }
  }
  return found
}
