import type { Finding } from '../../../model/issue/finding.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { noFix } from '../../../model/issue/no-fix.ts'
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

/**
 * What stands for the fields that a row leaves out. Every field has its place from the start: filling places in is much
 * faster than adding fields. It is written down rather than asked of the schema, which takes longer to load than a list
 * of issues takes to be read; a test compares the two.
 */
export const blankIssue = {
  id: undefined,
  code: undefined,
  class: undefined,
  repository_id: undefined,
  task_id: null,
  fingerprint: undefined,
  title: undefined,
  description: undefined,
  severity: undefined,
  severity_note: null,
  category: undefined,
  group: null,
  priority: undefined,
  rule: null,
  file: null,
  line: null,
  end_line: null,
  column: undefined,
  marks: undefined,
  current_code: null,
  suggested_fix: null,
  references: [],
  flagged_by: [],
  estimated_effort: null,
  estimated_files_count: null,
  status: undefined,
  resolution_note: null,
  clarifications: [],
  plan: null,
  conversation: undefined,
  ...noFix,
  duplicate_of: null,
  regression_of: null,
  induced_by: undefined,
  depends_on: [],
  ignored: null,
  anchor: undefined,
  absent_since: null,
  created_at: undefined,
  updated_at: undefined,
} as const satisfies Readonly<Record<keyof Issue, Issue[keyof Issue] | undefined>>

/** What an issue takes over from the finding that it was made of. */
export const inheritedFields = [
  'fingerprint',
  'title',
  'description',
  'severity_note',
  'category',
  'group',
  'rule',
  'file',
  'line',
  'end_line',
  'column',
  'marks',
  'current_code',
  'suggested_fix',
  'references',
  'estimated_effort',
  'estimated_files_count',
  'anchor',
] as const satisfies readonly (keyof Issue & keyof Finding)[]

/** An issue as Fixpoint itself stored it, so it is not checked against its schema. */
export function fillIssue(row: StoredIssue): Issue {
  const issue: Record<string, unknown> = { ...blankIssue }
  if (row.lead !== null) {
    const lead = JSON.parse(row.lead) as Partial<Finding>
    for (const name of inheritedFields) if (lead[name] !== undefined) issue[name] = lead[name]
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
