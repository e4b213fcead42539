import { Fault } from '../../../model/fault.ts'
import { Finding } from '../../../model/issue/finding.ts'
import { Issue } from '../../../model/issue/issue.ts'
import { blanksOf, isBlank } from '../tables/blanks.ts'
import { parseRow } from '../tables/stored-json.ts'
import type { TableRow } from '../tables/tables.ts'

/** The columns that an issue is read from. What is in a column of its own is not repeated in `data`. */
export const issueColumns = [
  'id',
  'repository_id',
  'task_id',
  'code',
  'status',
  'severity',
  'rank',
  'lead',
  'data',
] as const satisfies readonly (keyof TableRow<'issue'>)[]

export type StoredIssue = Pick<TableRow<'issue'>, (typeof issueColumns)[number]>

const blank = blanksOf(Issue).fill('{}') as Partial<Issue>
const written = (Object.keys(Issue.shape) as (keyof Issue)[]).filter(
  (name) => name !== 'priority' && name !== 'updated_at' && !issueColumns.some((column) => column === name),
)
/** What an issue takes over from the finding that it was made of. */
const inherited = written.filter((name) => name in Finding.shape) as (keyof Issue & keyof Finding)[]
const own = written.filter((name) => !(name in Finding.shape))

/** An issue as JSON, without blank fields and without what only repeats the finding in its row. */
export function formatIssue(issue: Issue, lead: Finding | null): string {
  const said: Partial<Record<keyof Issue, unknown>> = {}
  for (const name of inherited)
    if (lead === null || !isSame(issue[name], lead[name])) said[name] = issue[name]
  for (const name of own) if (!isBlank(issue[name])) said[name] = issue[name]
  if (issue.updated_at !== issue.created_at) said.updated_at = issue.updated_at
  return JSON.stringify(said)
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (Array.isArray(a) && a.length === 0 && Array.isArray(b) && b.length === 0)

/** Every field has its place from the start: filling places in is much faster than adding fields. */
const template: Readonly<Record<string, unknown>> = Object.fromEntries(
  (Object.keys(Issue.shape) as (keyof Issue)[]).map((name) => [name, blank[name]]),
)

/** An issue as Fixpoint itself stored it, so it is not checked against its schema. */
export function fillIssue(row: StoredIssue): Issue {
  const issue: Record<string, unknown> = { ...template }
  if (row.lead !== null) {
    const lead = JSON.parse(row.lead) as Partial<Finding>
    for (const name of inherited) if (lead[name] !== undefined) issue[name] = lead[name]
  }
  Object.assign(issue, JSON.parse(row.data))
  issue['updated_at'] ??= issue['created_at']
  issue['id'] = row.id
  issue['repository_id'] = row.repository_id
  issue['task_id'] = row.task_id
  issue['code'] = row.code
  issue['status'] = row.status
  issue['severity'] = row.severity
  issue['priority'] = 0 - row.rank
  return issue as Issue
}

export function parseIssue(row: StoredIssue): Issue {
  try {
    return parseRow(Issue, fillIssue(row))
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new Fault('store_failed', `The stored row ${row.id} (${row.code}) is no JSON`, { cause })
  }
}
