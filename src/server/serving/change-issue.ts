import type { IssueStore } from '../../loop/ports.ts'
import type { BulkIssueChange, BulkIssueOutcome, IssueChange } from '../../model/api/issues.ts'
import { Fault } from '../../model/fault.ts'
import { IssueId } from '../../model/id.ts'
import { moveIssue, type Issue } from '../../model/issue/issue.ts'
import {
  ignoreIssue,
  markDuplicate,
  reopenIssue,
  resolveByHand,
  type MoveByHand,
} from '../../model/issue/move-by-hand.ts'

type Issues = Pick<IssueStore, 'get' | 'byCode' | 'change'>

export async function findIssue(issues: Pick<IssueStore, 'get'>, id: string): Promise<Issue> {
  const parsed = IssueId.safeParse(id)
  const [issue] = parsed.success ? await issues.get([parsed.data]) : []
  if (issue) return issue
  throw new Fault('not_found', `there is no issue "${id}"`)
}

/** Moves one issue as a person asked, by the rules that hold everywhere. */
export async function changeIssue(issues: Issues, id: string, change: IssueChange): Promise<Issue> {
  const issue = await findIssue(issues, id)
  // Refused before anything is asked for: a note would not make an illegal move legal.
  moveIssue(issue, change.status, 'person')
  return issues.change(issue.id, 'person', await moveFor(issues, issue, change))
}

export async function changeIssues(
  issues: Issues,
  { issue_ids, change }: BulkIssueChange,
): Promise<BulkIssueOutcome> {
  const changed: Issue[] = []
  const refused: BulkIssueOutcome['refused'][number][] = []
  for (const id of new Set(issue_ids)) {
    try {
      changed.push(await changeIssue(issues, id, change))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const { code, message, hint, details } = error
      const allowed = Array.isArray(details['allowed']) ? (details['allowed'] as string[]) : []
      refused.push({ issue_id: id, code, detail: message, hint, allowed })
    }
  }
  return { schema: 'fixpoint.bulk.v1', changed, refused }
}

async function moveFor(issues: Issues, issue: Issue, change: IssueChange): Promise<MoveByHand> {
  switch (change.status) {
    case 'ignored':
      return ignoreIssue(
        required('reason', change.reason ?? change.resolution_note),
        change.until === undefined ? null : dayAhead(change.until),
      )
    case 'resolved':
      return resolveByHand(required('resolution_note', change.resolution_note))
    case 'open':
      return reopenIssue(change.resolution_note ?? change.reason ?? null)
    case 'duplicate':
      return markDuplicate(await findOriginal(issues, issue, required('duplicate_of', change.duplicate_of)))
    case 'in_progress':
    case 'failed':
    case 'merged':
      return (current) => moveIssue(current, change.status, 'person')
  }
}

async function findOriginal(issues: Issues, { repository_id }: Issue, name: string): Promise<Issue> {
  if (name.startsWith('iss_')) return findIssue(issues, name)
  const [found] = await issues.byCode(repository_id, [name.toUpperCase()])
  if (found) return found
  throw new Fault('not_found', `there is no issue "${name}" in this repository`)
}

function required(field: string, text: string | undefined): string {
  if (text !== undefined) return text
  throw new Fault('usage', `"${field}" is missing`, { hint: `Say it in a few words: { "${field}": "…" }.` })
}

function dayAhead(day: string): string {
  if (Date.parse(`${day}T00:00:00Z`) > Date.now()) return day
  throw new Fault('usage', `until ${day}: this day does not lie ahead`, {
    hint: 'Give a later day, or leave "until" out to ignore it for ever.',
  })
}
