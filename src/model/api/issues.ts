import { z } from 'zod'
import { Attempt } from '../attempt/attempt.ts'
import { FixEvent } from '../session/event.ts'
import { Finding } from '../issue/finding.ts'
import { IssueId } from '../id.ts'
import { Issue, IssueStatus } from '../issue/issue.ts'
import { IssueMove } from '../issue/issue-move.ts'
import { issueFacets } from '../issue/issue-order.ts'
import { Severity } from '../issue/severity.ts'

const FacetCount = z.object({ value: z.string(), count: z.number().int() })

/** How many issues there are of each value of a property; the choice of a property does not narrow its own counts. */
export const PropertyCounts = z.record(z.enum(issueFacets), z.array(FacetCount).readonly())
export type PropertyCounts = z.infer<typeof PropertyCounts>

/** Issues that share a rule, a file or a folder; `value` is empty for those that have none. */
export const IssueGroupView = FacetCount.extend({ severity: Severity })
export type IssueGroupView = z.infer<typeof IssueGroupView>

export const IssueList = z.object({
  schema: z.literal('fixpoint.issues.v1'),
  issues: z.array(Issue).readonly(),
  next_cursor: z.string().nullable(),
  /** On request (`facets=true`): how many issues each filter would show. */
  facets: PropertyCounts.optional(),
  /** On request (`group=rule`): most frequent first. */
  groups: z.array(IssueGroupView).readonly().optional(),
})
export type IssueList = z.infer<typeof IssueList>

/** One issue, and where a person may move it from here. */
export const IssueView = Issue.extend({ allowed_transitions: z.array(IssueStatus).readonly() })
export type IssueView = z.infer<typeof IssueView>

/** How many issues there are, for the filters of a list. */
export const IssueFacets = z.object({
  schema: z.literal('fixpoint.facets.v1'),
  total: z.number().int(),
  status: z.record(IssueStatus, z.number().int()),
  severity: z.record(Severity, z.number().int()),
  /** Every pair of status and severity that occurs. */
  pairs: z.array(z.object({ status: IssueStatus, severity: Severity, count: z.number().int() })).readonly(),
})
export type IssueFacets = z.infer<typeof IssueFacets>

/** Where a person moves an issue. Which of the other fields is needed depends on the status. */
export const IssueChange = z.strictObject({
  status: IssueStatus,
  /** How it was resolved, or why it is open again. Needed for `resolved`. */
  resolution_note: z.string().trim().min(1).optional(),
  /** Why it is ignored. Needed for `ignored`. */
  reason: z.string().trim().min(1).optional(),
  /** With `ignored`: only until this day, such as 2030-12-31. */
  until: z.iso.date().optional(),
  /** Id or code of the issue that it is the same as. Needed for `duplicate`. */
  duplicate_of: z.string().optional(),
})
export type IssueChange = z.infer<typeof IssueChange>

export const BulkIssueChange = z.strictObject({
  issue_ids: z.array(IssueId).min(1).max(1_000).readonly(),
  change: IssueChange,
})
export type BulkIssueChange = z.infer<typeof BulkIssueChange>

/** Each issue is changed or refused for itself. */
export const BulkIssueOutcome = z.object({
  schema: z.literal('fixpoint.bulk.v1'),
  changed: z.array(Issue).readonly(),
  refused: z
    .array(
      z.object({
        issue_id: IssueId,
        code: z.string(),
        detail: z.string(),
        hint: z.string(),
        allowed: z.array(z.string()).readonly(),
      }),
    )
    .readonly(),
})
export type BulkIssueOutcome = z.infer<typeof BulkIssueOutcome>

/** Everything that ever happened to an issue, oldest first. */
export const IssueLedger = z.object({
  schema: z.literal('fixpoint.ledger.v1'),
  issue_id: IssueId,
  findings: z.array(Finding).readonly(),
  attempts: z.array(Attempt).readonly(),
  events: z.array(FixEvent).readonly(),
  /** Moves outside of sessions, such as by a person. */
  moves: z.array(IssueMove).readonly(),
  /** The issues that this one names: duplicate of, regression of, depends on. */
  related: z.array(Issue.pick({ id: true, code: true, title: true, status: true })).readonly(),
})
export type IssueLedger = z.infer<typeof IssueLedger>

/** The code around an issue, as it is on the base that a session would start from. */
export const CodeExcerpt = z.object({
  schema: z.literal('fixpoint.excerpt.v1'),
  file: z.string(),
  commit: z.string(),
  first_line: z.number().int(),
  lines: z.array(z.string()).readonly(),
  /** The lines that the issue is about, when it names any that exist. */
  flagged: z.object({ line: z.number().int(), end_line: z.number().int() }).nullable(),
  /** Why there is no code to show; then `lines` is empty. */
  missing: z.string().nullable(),
})
export type CodeExcerpt = z.infer<typeof CodeExcerpt>
