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
  if (lead !== null && isUntouched(issue) && repeats(issue, lead)) {
    const { class: issueClass, flagged_by, created_at } = issue
    return JSON.stringify({ class: issueClass, flagged_by, created_at })
  }
  const said: Partial<Record<keyof Issue, unknown>> = {}
  for (const name of inheritedFields)
    if (lead === null || !isSame(issue[name], lead[name])) said[name] = issue[name]
  for (const name of own) if (!isBlank(issue[name])) said[name] = issue[name]
  if (issue.updated_at !== issue.created_at) said.updated_at = issue.updated_at
  return JSON.stringify(said)
}

/**
 * Whether the fields that no finding has are as they are in a new issue. An import writes very many of these, and asking
 * for fields by names that are not in the code takes three times as long; a test sets each field in turn.
 */
const isUntouched = (issue: Issue): boolean =>
  issue.resolution_note === null &&
  issue.clarifications.length === 0 &&
  issue.plan === null &&
  issue.conversation === undefined &&
  issue.fix_code === null &&
  issue.fix_explanation === null &&
  issue.fix_files_modified.length === 0 &&
  issue.fix_commit_sha === null &&
  issue.fix_branch === null &&
  issue.fix_session_id === null &&
  issue.fix_self_score === null &&
  issue.fix_challenger_score === null &&
  issue.evidence === null &&
  issue.duplicate_of === null &&
  issue.regression_of === null &&
  issue.induced_by === undefined &&
  issue.depends_on.length === 0 &&
  issue.ignored === null &&
  (issue.absent_since ?? null) === null &&
  issue.updated_at === issue.created_at

/** Whether the fields that come from the finding are as it says. */
const repeats = (issue: Issue, lead: Finding): boolean =>
  issue.fingerprint === lead.fingerprint &&
  issue.title === lead.title &&
  issue.description === lead.description &&
  issue.severity_note === lead.severity_note &&
  issue.category === lead.category &&
  issue.group === lead.group &&
  issue.rule === lead.rule &&
  issue.file === lead.file &&
  issue.line === lead.line &&
  issue.end_line === lead.end_line &&
  issue.column === lead.column &&
  issue.current_code === lead.current_code &&
  issue.suggested_fix === lead.suggested_fix &&
  issue.estimated_effort === lead.estimated_effort &&
  issue.estimated_files_count === lead.estimated_files_count &&
  issue.anchor === lead.anchor &&
  isSame(issue.marks, lead.marks) &&
  isSame(issue.references, lead.references)

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
