import { z } from 'zod'

/** Every id is prefixed and ascending by creation, so that a bare id says what it names and sorts by age. */
const prefixed = <Name extends string>(prefix: string, name: Name) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]+$`), `an id such as ${prefix}_… is expected`)
    .brand(name)

export const RepositoryId = prefixed('rep', 'RepositoryId')
export type RepositoryId = z.infer<typeof RepositoryId>
export const ReviewId = prefixed('rev', 'ReviewId')
export type ReviewId = z.infer<typeof ReviewId>
export const FindingId = prefixed('fnd', 'FindingId')
export type FindingId = z.infer<typeof FindingId>
export const IssueId = prefixed('iss', 'IssueId')
export type IssueId = z.infer<typeof IssueId>
export const SessionId = prefixed('ses', 'SessionId')
export type SessionId = z.infer<typeof SessionId>
export const AttemptId = prefixed('att', 'AttemptId')
export type AttemptId = z.infer<typeof AttemptId>

/** A git object name, SHA-1 or SHA-256. */
const objectName = <Name extends string>(name: Name) =>
  z
    .string()
    .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'a full git object name is expected')
    .brand(name)

export const CommitId = objectName('CommitId')
export type CommitId = z.infer<typeof CommitId>
export const TreeId = objectName('TreeId')
export type TreeId = z.infer<typeof TreeId>

/** When an id was made, in milliseconds; null for one that does not tell. */
export function createdAtMs(id: string): number | null {
  const digits = /^[a-z]+_([0-9a-f]{12})7[0-9a-f]{19}$/.exec(id)?.[1]
  return digits === undefined ? null : Number.parseInt(digits, 16)
}
