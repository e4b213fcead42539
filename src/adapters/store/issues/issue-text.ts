import { Fault } from '../../../model/fault.ts'
import type { Finding } from '../../../model/issue/finding.ts'
import { Issue } from '../../../model/issue/issue.ts'
import { isBlank } from '../tables/blanks.ts'
import { parseRow } from '../tables/stored-json.ts'
import { blankIssue, fillIssue, inheritedFields, issueColumns, type StoredIssue } from './stored-issue.ts'

const elsewhere: readonly string[] = [...issueColumns, ...inheritedFields, 'priority', 'updated_at']
const own = (Object.keys(blankIssue) as (keyof Issue)[]).filter((name) => !elsewhere.includes(name))

/** An issue as JSON, without blank fields and without what only repeats the finding in its row. */
export function formatIssue(issue: Issue, lead: Finding | null): string {
  const said: Partial<Record<keyof Issue, unknown>> = {}
  for (const name of inheritedFields)
    if (lead === null || !isSame(issue[name], lead[name])) said[name] = issue[name]
  for (const name of own) if (!isBlank(issue[name])) said[name] = issue[name]
  if (issue.updated_at !== issue.created_at) said.updated_at = issue.updated_at
  return JSON.stringify(said)
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (Array.isArray(a) &&
    Array.isArray(b) &&
    a.length === b.length &&
    a.every((item, index) => item === b[index]))

export function parseIssue(row: StoredIssue): Issue {
  try {
    return parseRow(Issue, fillIssue(row))
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new Fault('store_failed', `The stored row ${row.id} (${row.code}) is no JSON`, { cause })
  }
}
