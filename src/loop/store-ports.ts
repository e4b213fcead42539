/** The ports over the database. */

import type { Attempt } from '../model/attempt/attempt.ts'
import type { FixEvent, NewEvent } from '../model/session/event.ts'
import type { Finding } from '../model/issue/finding.ts'
import type { FindingId, IssueId, RepositoryId, ReviewId, SessionId } from '../model/id.ts'
import type { Actor, Issue, IssueStatus } from '../model/issue/issue.ts'
import type { IssueFacet, IssueGrouping, IssueSort } from '../model/issue/issue-order.ts'
import type { IssueMove } from '../model/issue/issue-move.ts'
import type { Repository } from '../model/repository.ts'
import type { Review } from '../model/issue/review.ts'
import type { SessionNote } from '../model/session/note.ts'
import type { HookCall } from '../model/forge/webhook.ts'
import type { Session } from '../model/session/session.ts'
import type { Worker } from '../model/worker.ts'

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
  histories(repositoryId: RepositoryId): Promise<IssueHistories>
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

export interface IssueHistories {
  /** Issues that are open or failed and were never moved outside of a session, by the day in UTC on which they were found. */
  readonly steady: readonly { readonly day: string; readonly count: number }[]
  /** The others, one by one. */
  readonly moved: readonly IssueHistory[]
}

export interface IssueHistory {
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

/** Sessions with their attempts, as they are now. */
export interface SessionReader {
  load(id: SessionId): Promise<StoredSession | null>
  list(repositoryId: RepositoryId, limit: number): Promise<readonly Session[]>
  /** The newest first, without reading what they hold; of all repositories when none is named. */
  heads(query: SessionHeadQuery): Promise<readonly SessionHead[]>
  /** Those in which something may wait for a person, newest first. */
  asking(repositoryId?: RepositoryId): Promise<readonly SessionHead[]>
}

export interface SessionHead {
  readonly id: SessionId
  readonly repositoryId: RepositoryId
  readonly status: Session['status']
  readonly owner: string | null
}

export interface SessionHeadQuery {
  readonly repositoryId?: RepositoryId
  readonly status?: readonly Session['status'][]
  /** Only those before this one. */
  readonly before?: string
  readonly limit: number
}

/** What drivers write. A row and its events are written in one transaction. */
export interface SessionWriter {
  /** Claims the issues and stores the session with its attempts; refuses issues that another session holds. */
  create(request: NewSession): Promise<readonly FixEvent[]>
  /** Writes what changed, with the events that tell of it. */
  record(change: SessionChange): Promise<readonly FixEvent[]>
  /** Makes `owner` the driver if the session still has the expected owner; busy when someone else was faster. */
  take(id: SessionId, expectedOwner: string | null, owner: string): Promise<StoredSession>
}

/** What people ask of a session, whichever process drives it. */
export interface SessionRequests {
  /** The session that was made for the same request not long ago. */
  findRequest(key: RequestKey): Promise<SessionId | null>
  /** Asks whoever drives the session to end it; asking twice is asking once. */
  requestCancel(id: SessionId): Promise<void>
  isCancelRequested(id: SessionId): Promise<boolean>
  /** Leaves word for the process that drives the session. */
  leaveNote(id: SessionId, note: SessionNote): Promise<void>
  /** What was left for whoever drives the session, once. */
  takeNotes(id: SessionId): Promise<readonly SessionNote[]>
}

/** What happened in a session, in order. */
export interface EventLog {
  events(id: SessionId, afterSeq: number, limit?: number): Promise<readonly FixEvent[]>
  /** The number of the newest event; 0 when there is none. */
  lastSeq(id: SessionId): Promise<number>
}

export interface SessionStore extends SessionReader, SessionWriter, SessionRequests, EventLog {}

/** What makes two requests for a session the same one, for a while. */
export interface RequestKey {
  readonly key: string
  readonly lifetimeMs: number
  /** Take the key over, whatever an earlier request came to. */
  readonly force: boolean
}

export interface NewSession extends StoredSession {
  readonly events: readonly NewEvent[]
  readonly key?: RequestKey | undefined
}

export interface SessionChange {
  readonly sessionId: SessionId
  /** Who writes. Left out, it is the owner in `session`, or nobody; refused unless the stored session has this owner. */
  readonly owner?: string
  readonly session?: Session
  readonly attempts?: readonly Attempt[]
  /** Issues are moved by the engine; an illegal move is refused and nothing is written. */
  readonly issues?: readonly { readonly id: IssueId; readonly edit: (issue: Issue) => Issue }[]
  readonly events: readonly NewEvent[]
}

export interface StoredSession {
  readonly session: Session
  readonly attempts: readonly Attempt[]
}

/** The repositories that were ever worked on. */
export interface RepositoryStore {
  /** Finds a repository by its id or a key, or stores it; a moved one gets its new path. */
  ensure(request: RepositoryEntry): Promise<Repository>
  get(id: RepositoryId): Promise<Repository | null>
  list(): Promise<readonly Repository[]>
}

export interface RepositoryEntry {
  /** What tells its history from others, wherever it lies. */
  readonly key: string
  /** A stored key with this ending means the same repository and says more: it is kept. */
  readonly fullerEnd?: string
  /** A key that means the same and says less: it is replaced. */
  readonly poorer?: string
  readonly path: string
  /** The repository that the clone remembers to be; one that is not known yet is stored under this id. */
  readonly id?: RepositoryId | null
  readonly newId: RepositoryId
}

/** Who takes sessions from the queue. */
export interface WorkerStore {
  /** Says that a worker is alive, and what it does. */
  put(worker: Worker): Promise<void>
  remove(id: string): Promise<void>
  list(): Promise<readonly SeenWorker[]>
}

export interface SeenWorker {
  readonly worker: Worker
  /** How long ago it was heard of. */
  readonly silentMs: number
}

/** Reviews and what they claimed. */
export interface ReviewStore {
  get(id: ReviewId): Promise<Review | null>
  list(repositoryId: RepositoryId, limit: number): Promise<readonly Review[]>
  findingsOf(issueId: IssueId): Promise<readonly Finding[]>
  /** Everything that is recorded about one issue, oldest first. */
  ledger(issueId: IssueId): Promise<Ledger>
}

export interface Ledger {
  readonly findings: readonly Finding[]
  readonly attempts: readonly Attempt[]
  readonly events: readonly FixEvent[]
  /** What happened outside of sessions. */
  readonly moves: readonly IssueMove[]
}

/** What a forge told, and how far it is worked off. */
export interface HookDelivery {
  readonly id: string
  readonly owner: string | null
  readonly job: HookCall
  readonly tries: number
  /** The session that it started. */
  readonly sessionId: SessionId | null
}

export interface NewDelivery extends Pick<HookDelivery, 'id' | 'job'> {
  /** Two deliveries with the same subject are the same one. */
  readonly subject: string
  /** The pull request that it is about. */
  readonly place: string
}

/** What forges tell, each delivery once, whichever process hears of it. */
export interface DeliveryStore {
  /** Keeps it for whoever works it off; false when it is known already. */
  keep(delivery: NewDelivery): Promise<boolean>
  /** Those that are not done, oldest first. */
  open(): Promise<readonly HookDelivery[]>
  /** Makes `owner` the one who works it off; false when somebody else was faster. */
  take(id: string, expectedOwner: string | null, owner: string): Promise<boolean>
  note(progress: HookDelivery & { readonly isDone: boolean }): Promise<void>
  /** The sessions that were started from a pull request, the newest first. */
  sessionsAt(place: string): Promise<readonly SessionId[]>
}
