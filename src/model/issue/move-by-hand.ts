import { z } from 'zod'
import { Fault } from '../fault.ts'
import { moveIssue, type Issue } from './issue.ts'
import { noFix } from './no-fix.ts'

/** A person's change of one issue, whatever it is now; an illegal move is a fault that names the allowed ones. */
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
  ...noFix,
} satisfies Partial<Issue>

/** The file in which a project keeps its decisions to ignore issues: whoever has the code has the decision. */
export const ignoredPath = '.fixpoint/ignored.yaml'

export const SharedIgnore = z.strictObject({
  fingerprint: z.string().min(1).max(200),
  reason: z.string().trim().min(1).max(2_000),
  /** Who decided it. */
  who: z.string().min(1).max(300),
  /** The day from which on it is raised again; null for never. */
  until: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .nullable()
    .default(null),
  /** For people who read the file. */
  code: z.string().max(100).optional(),
  title: z.string().max(500).optional(),
  file: z.string().max(2_000).nullable().optional(),
  rule: z.string().max(500).nullable().optional(),
})
export type SharedIgnore = z.infer<typeof SharedIgnore>

const mark = ` in ${ignoredPath})`

/** The issue as the project's list wants it: ignored when it is on the list, open again when it was and is not any more. */
export function respectIgnore(issue: Issue, entry: SharedIgnore | undefined): Issue {
  const isUnresolved = issue.status === 'open' || issue.status === 'failed'
  if (entry && isUnresolved)
    return {
      ...moveIssue(issue, 'ignored', 'person'),
      ignored: { reason: `${entry.reason} (${entry.who},${mark}`, until: entry.until },
    }
  const wasOnList = issue.status === 'ignored' && issue.ignored?.reason.endsWith(mark) === true
  return !entry && wasOnList ? { ...moveIssue(issue, 'open', 'person'), ignored: null } : issue
}
