import { z } from 'zod'
import { IssueStatus, type Actor, type Issue } from './issue.ts'

/** A move of an issue outside of sessions: by a person, or by the engine when an ignored one's time is over. */
export const IssueMove = z.strictObject({
  at: z.string(),
  by: z.enum(['person', 'engine']),
  from: IssueStatus,
  to: IssueStatus,
  /** Why, where somebody said so. */
  note: z.string().nullable(),
})
export type IssueMove = z.infer<typeof IssueMove>

/** Null when the issue did not move. */
export function moveOf(before: Issue, after: Issue, by: Actor): IssueMove | null {
  if (before.status === after.status) return null
  const note =
    after.duplicate_of === null
      ? (after.ignored?.reason ?? after.resolution_note)
      : `duplicate of ${after.duplicate_of}`
  return { at: after.updated_at, by, from: before.status, to: after.status, note }
}
