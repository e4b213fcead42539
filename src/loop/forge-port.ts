import type { ScanAlert } from '../model/forge/forge-findings.ts'
import type { ForgeReviews, ReviewThreads, PullComments } from './forge-talk-port.ts'

/** The ports over a forge such as GitHub: what is there is read, and every write can be found again. */

/** The repository as the forge knows it. */
export interface ForgeRepository {
  /** `owner/name`, as it is called now. */
  readonly name: string
  readonly url: string
  readonly defaultBranch: string
  readonly isArchived: boolean
  /** Whether the token may push; null when the forge does not say. */
  readonly canPush: boolean | null
}

export interface PullRequest {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly body: string
  readonly state: 'open' | 'closed' | 'merged'
  readonly isDraft: boolean
  readonly author: string
  readonly branch: string
  readonly headSha: string
  /** `owner/name` of where the branch is; null when that is gone. */
  readonly headRepository: string | null
  /** Of one from another repository: its author lets those who may push here push to its branch too. */
  readonly maintainersMayEdit: boolean
  readonly base: string
  readonly baseSha: string
  readonly labels: readonly string[]
}

export interface NewPullRequest {
  readonly title: string
  readonly body: string
  readonly branch: string
  readonly base: string
  readonly isDraft: boolean
}

export interface PullRequests {
  get(number: number): Promise<PullRequest>
  /** Those of a branch of this repository in any state, or all open ones; newest first. */
  list(branch: string | null): Promise<readonly PullRequest[]>
  open(request: NewPullRequest): Promise<PullRequest>
  edit(number: number, changed: { readonly title?: string; readonly body?: string }): Promise<PullRequest>
  /** Adds labels to a pull request or an issue; those that it has stay. */
  label(number: number, labels: readonly string[]): Promise<readonly string[]>
}

export interface ForgeIssue {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly body: string
  readonly state: 'open' | 'closed'
}

export interface NewForgeIssue {
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
  /** A part of the body that no other issue has: it is found again by it. */
  readonly mark: string
}

export interface ForgeIssueChange {
  readonly body?: string
  readonly state?: 'closed'
  readonly reason?: 'completed' | 'not_planned'
}

export interface ForgeIssues {
  /** Null when there is none. */
  get(number: number): Promise<ForgeIssue | null>
  /** Those with all of the labels, in any state; pull requests are none. */
  list(labels: readonly string[]): Promise<readonly ForgeIssue[]>
  /** Opens an issue, unless one with its labels has the mark already. */
  open(request: NewForgeIssue): Promise<ForgeIssue>
  edit(number: number, changed: ForgeIssueChange): Promise<void>
}

export interface CodeScans {
  /** All that are open. */
  alerts(): Promise<readonly ScanAlert[]>
  /** Hands a SARIF document over for a commit that is there; gives the id of the upload. */
  upload(scan: { readonly commit: string; readonly ref: string; readonly sarif: string }): Promise<string>
}

/** Something to be shown beside a line of a commit. */
export interface CheckAnnotation {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  readonly level: 'notice' | 'warning' | 'failure'
  readonly title: string
  readonly message: string
}

export interface CheckReport {
  readonly name: string
  readonly headSha: string
  /** Null while it is not decided. */
  readonly conclusion: 'success' | 'failure' | 'neutral' | 'action_required' | null
  readonly title: string
  readonly summary: string
  readonly annotations: readonly CheckAnnotation[]
}

export interface CommitChecks {
  /** Reports on a commit, or brings the report of this name up to date; gives its id. */
  report(check: CheckReport): Promise<number>
}

/** What somebody may do with a repository. */
export type Permission = 'admin' | 'write' | 'read' | 'none'

/** Everything that Fixpoint asks of a forge, for one repository. */
export interface Forge {
  about(): Promise<ForgeRepository>
  readonly pulls: PullRequests
  readonly issues: ForgeIssues
  readonly reviews: ForgeReviews
  readonly threads: ReviewThreads
  readonly scans: CodeScans
  readonly comments: PullComments
  readonly checks: CommitChecks
  /** Asked anew each time: it may have been taken away a moment ago. */
  permissionOf(login: string): Promise<Permission>
}
