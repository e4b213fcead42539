/** The ports over the issues in the database. */

import type { Finding } from '../model/issue/finding.ts'
import type { FindingId, IssueId, RepositoryId } from '../model/id.ts'
import type { Actor, Issue, IssueStatus } from '../model/issue/issue.ts'
import type { IssueFacet, IssueGrouping, IssueSort } from '../model/issue/issue-order.ts'
import type { IssueMove } from '../model/issue/issue-move.ts'
import type { Review } from '../model/issue/review.ts'
import type { HeldReview } from '../model/review/review-order.ts'

/** What is known of a repository's issues. */
export interface IssueReader {
  get(ids: readonly IssueId[]): Promise<readonly Issue[]>
  byCode(repositoryId: RepositoryId, codes: readonly string[]): Promise<readonly Issue[]>
  list(query: IssueQuery): Promise<IssuePage>
  /** How many there are of each status and severity. */
  count(filter: IssueSelection): Promise<readonly IssueCount[]>
  /** How many there are of each value of each property; what is chosen of a property does not narrow its own counts. */
  facets(filter: IssueSelection): Promise<IssueFacetCounts>
  /** The values of one property with how many issues have them, most frequent first. */
  groups(filter: IssueSelection, by: IssueGrouping): Promise<readonly IssueGroup[]>
  /** How many there are of each status in every repository; those that were found since a time by their days. */
  census(since: string): Promise<readonly IssueCensus[]>
  /** When the issues of a repository were found and moved; those that were always open only as counts. */
  histories(repositoryId: RepositoryId): Promise<IssueTimelines>
  /** What `triage` would do to the issues there are now; writes nothing. */
  previewTriage(request: TriageRequest): Promise<TriageOutcome>
}

/** Every write is one transaction. */
export interface IssueWriter {
  /** Moves or edits one issue as a person asked; illegal moves are refused inside the transaction. */
  change(id: IssueId, actor: Actor, edit: (issue: Issue) => Issue): Promise<Issue>
  /** Plans with what is known under a write lock, then stores review, findings and issues together: all parts, or none. */
  triage(request: TriageRequest): Promise<TriageOutcome>
}

export interface IssueStore extends IssueReader, IssueWriter {}

/** Which issues are meant; whatever is left out does not narrow them. */
export interface IssueSelection {
  readonly repositoryId: RepositoryId
  readonly status?: readonly IssueStatus[]
  readonly severity?: readonly Issue['severity'][]
  readonly class?: readonly Issue['class'][]
  readonly rule?: readonly string[]
  /** Flagged by any of these. */
  readonly tool?: readonly string[]
  /** The kind of who said it first: agent, rules, tool or person. */
  readonly source?: readonly string[]
  /** A file, a folder, or a pattern whose stars stand for any text. */
  readonly path?: string
  /** Found at or after this time. */
  readonly since?: string
  readonly taskId?: string
  readonly text?: string
}

export interface IssueQuery extends IssueSelection {
  /** Highest priority first when it is left out; with a minus sign the other way round. */
  readonly sort?: IssueSort | `-${IssueSort}`
  readonly cursor?: string
  readonly limit: number
}

/** Most frequent first. Ages are counted together: what is a day old is a week old as well. */
export type IssueFacetCounts = Readonly<
  Record<IssueFacet, readonly { readonly value: string; readonly count: number }[]>
>

export interface IssueCount {
  readonly status: IssueStatus
  readonly severity: Issue['severity']
  readonly count: number
}

export interface IssueGroup {
  /** Empty for those that have none. */
  readonly value: string
  readonly count: number
  /** The most severe of them. */
  readonly severity: Issue['severity']
}

export interface IssueCensus {
  readonly repositoryId: RepositoryId
  readonly status: IssueStatus
  /** The day in UTC on which they were found; null for earlier ones. */
  readonly day: string | null
  readonly count: number
}

export interface IssueTimelines {
  /** Issues that are open or failed and were never moved outside of a session, by the day in UTC on which they were found. */
  readonly steady: readonly { readonly day: string; readonly count: number }[]
  /** The others, one by one. */
  readonly moved: readonly IssueTimeline[]
}

export interface IssueTimeline {
  readonly id: string
  readonly status: IssueStatus
  readonly created_at: string
  readonly updated_at: string
  /** Outside of sessions, oldest first. */
  readonly moves: readonly Pick<IssueMove, 'at' | 'from' | 'to'>[]
}

export interface IssuePage {
  readonly issues: readonly Issue[]
  readonly nextCursor: string | null
  /** Why rows of this page are left out: they cannot be read. */
  readonly unreadable?: readonly string[]
}

export interface TriageRequest {
  readonly review: Review
  /** How many findings there are in all parts. */
  readonly count: number
  /** The next part is asked for while the one before is written. */
  readonly parts: Iterable<TriagePart> | AsyncIterable<TriagePart>
  /** Shown by whoever runs a review that was asked for; refused unless it is the newest. */
  readonly held?: HeldReview
}

/** Findings that are planned together. */
export interface TriagePart {
  readonly findings: readonly Finding[]
  /** Pure; gets the findings, and the issues that share a fingerprint or a file with one, those of earlier parts too. */
  readonly plan: (known: readonly Issue[], findings: readonly Finding[], voicesOf: VoicesOf) => TriagePlan
}

/** The findings of a known issue of several sources; null where they are not known. */
export type VoicesOf = (id: IssueId) => Voices | null

export interface Voices {
  readonly findings: readonly Finding[]
  /** Whether all of them are of the commit that is looked at now, so that their lines are those of today. */
  readonly isOfThisCommit: boolean
}

/** A new issue before the store has given it its code. */
export type NewIssue = Omit<Issue, 'code'>

export interface TriagePlan {
  readonly created: readonly NewIssue[]
  readonly changed: readonly Issue[]
  /** Which issue each finding became or joined, in the order of the findings. */
  readonly issueOf: readonly IssueId[]
  /** Findings that turned out to belong to another issue. */
  readonly moved?: readonly MovedFinding[]
}

export interface MovedFinding {
  readonly finding: FindingId
  readonly from: IssueId
  readonly to: IssueId
}

/** How many issues there are for it. */
export interface TriageOutcome {
  readonly created: number
  readonly changed: number
}
