import { Fault } from '../fault.ts'
import { moveIssue, type Issue } from './issue.ts'

/** What a person makes of one issue, whatever it is now; an illegal move is a fault that names the allowed ones. */
export type MoveByHand = (issue: Issue) => Issue

export const ignoreIssue =
  (reason: string, until: string | null): MoveByHand =>
  (issue) => ({ ...moveIssue(issue, 'ignored', 'person'), ignored: { reason, until } })

export const resolveByHand =
  (note: string): MoveByHand =>
  (issue) => ({ ...moveIssue(issue, 'resolved', 'person'), resolution_note: note, evidence: 'manual' })

export const reopenIssue =
  (note: string | null): MoveByHand =>
  (issue) => ({ ...moveIssue(issue, 'open', 'person'), ...withoutFix, resolution_note: note })

export const markDuplicate =
  (original: Issue): MoveByHand =>
  (issue) => {
    if (original.duplicate_of !== null)
      throw new Fault('usage', `${original.code} is itself a duplicate`, {
        hint: `fixpoint issues show ${original.code} says of which; name that one.`,
      })
    if (issue.id === original.id)
      throw new Fault('usage', `${issue.code} cannot be a duplicate of itself`, { hint: 'Name another one.' })
    return { ...moveIssue(issue, 'duplicate', 'person'), duplicate_of: original.id }
  }

/** An open issue claims no fix; the ledger remembers the one it had. */
const withoutFix = {
  ignored: null,
  duplicate_of: null,
  evidence: null,
  fix_code: null,
  fix_explanation: null,
  fix_files_modified: [],
  fix_commit_sha: null,
  fix_branch: null,
  fix_session_id: null,
  fix_self_score: null,
  fix_challenger_score: null,
} satisfies Partial<Issue>
