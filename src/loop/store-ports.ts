/** The ports over everything else in the database. */

import type { VotesKept } from '../model/api/pull-requests.ts'
import type { Attempt } from '../model/attempt/attempt.ts'
import type { FixEvent, NewEvent } from '../model/session/event.ts'
import type { Finding } from '../model/issue/finding.ts'
import type { AttemptId, IssueId, RepositoryId, ReviewId, SessionId } from '../model/id.ts'
import type { Issue } from '../model/issue/issue.ts'
import type { IssueMove } from '../model/issue/issue-move.ts'
import type { Repository } from '../model/repository.ts'
import type { Review } from '../model/issue/review.ts'
import type { SessionNote } from '../model/session/note.ts'
import type { HookCall } from '../model/forge/webhook.ts'
import type { AttemptLease, HeldLease, StoredLease } from '../model/session/attempt-lease.ts'
import type { Session } from '../model/session/session.ts'

export interface SessionReader {
  load(id: SessionId): Promise<StoredSession | null>
  list(repositoryId: RepositoryId, limit: number): Promise<readonly Session[]>
  /** The newest first, without reading what they hold; of all repositories when none is named. */
  heads(query: SessionHeadQuery): Promise<readonly SessionHead[]>
  /** Those in which something may wait for a person, newest first. */
  asking(repositoryId?: RepositoryId): Promise<readonly SessionHead[]>
}

export interface TakeTerms {
  readonly expectedOwner: string | null
  readonly owner: string
  /** Where its branch is to be made; as it was when it is left out. */
  readonly clone?: string
  /** Also busy when this says that the owners of the repository's other running sessions are enough. */
  readonly isCrowded?: (owners: readonly string[]) => boolean
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
  /** Only those that wait for a time, such as that of a quota. */
  readonly isTimed?: boolean
  readonly limit: number
}

/** What drivers write. A row and its events are written in one transaction. */
export interface SessionWriter {
  /** Claims the issues and stores the session with its attempts; refuses issues that another session holds. */
  create(request: NewSession): Promise<readonly FixEvent[]>
  /** Writes what changed, with the events that tell of it. */
  record(change: SessionChange): Promise<readonly FixEvent[]>
  /** Makes `owner` the driver if the session still has the expected owner; busy when someone else was faster. */
  take(id: SessionId, terms: TakeTerms): Promise<StoredSession>
}

/** What people ask of a session, whichever process drives it. */
export interface SessionRequests {
  /** The session that was made for the same request not long ago. */
  findRequest(key: RequestKey): Promise<SessionId | null>
  /** Asks whoever drives the session to end it; asking twice is asking once. */
  requestCancel(id: SessionId): Promise<void>
  isCancelRequested(id: SessionId): Promise<boolean>
  /** Leaves a note for the process that drives the session. */
  leaveNote(id: SessionId, note: SessionNote): Promise<void>
  /** The notes for the process that drives the session; each is given once. */
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
  /** Shown instead of the owner by whoever works on one attempt; refused unless it is the newest. */
  readonly lease?: HeldLease
  readonly session?: Session
  readonly attempts?: readonly Attempt[]
  /** Issues are moved by the engine; an illegal move is refused and nothing is written. */
  readonly issues?: readonly { readonly id: IssueId; readonly edit: (issue: Issue) => Issue }[]
  readonly events: readonly NewEvent[]
}

/** The attempts that drivers gave out to whoever takes them. A driver that writes to an attempt takes it back. */
export interface LeaseStore {
  /** Gives an attempt out, whoever had it before; refused unless the session is the owner's. */
  offer(offer: LeaseOffer): Promise<HeldLease>
  /** Makes `owner` the one who works on it; null when the number is not the newest, or it is over. */
  take(offered: HeldLease, owner: string): Promise<(StoredSession & { readonly held: HeldLease }) | null>
  read(attemptId: AttemptId): Promise<StoredLease | null>
  /** The attempt as it is now, whoever works on it. */
  attempt(attemptId: AttemptId): Promise<Attempt | null>
  ofSession(sessionId: SessionId): Promise<readonly StoredLease[]>
  /** Changes the terms, or what became of them; false when the number is not the newest any more. */
  change(held: HeldLease, edit: (lease: AttemptLease) => AttemptLease): Promise<boolean>
}

export interface LeaseOffer {
  readonly sessionId: SessionId
  readonly attemptId: AttemptId
  /** Who drives the session. */
  readonly owner: string
  readonly lease: AttemptLease
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
  /** Takes a repository off the list; what is known of it stays. */
  remove(id: RepositoryId): Promise<void>
  /** Hashes of what a person trusted of it, on whatever machine. */
  trusted(id: RepositoryId): Promise<ReadonlySet<string>>
  trust(id: RepositoryId, items: readonly string[]): Promise<void>
  /** Takes all trust back; says how much there was. */
  distrust(id: RepositoryId): Promise<number>
}

export interface RepositoryEntry {
  /** What tells its history from others, wherever it lies. */
  readonly key: string
  /** A stored key with this ending means the same repository and says more: it is kept. */
  readonly fullerEnd?: string
  /** A key that means the same and says less: it is replaced. */
  readonly poorer?: string
  readonly path: string
  /** Where the clone is a mirror of; one that is known by its address keeps it, whoever else has a clone. */
  readonly url?: string
  /** The repository that the clone remembers to be; one that is not known yet is stored under this id. */
  readonly id?: RepositoryId | null
  readonly newId: RepositoryId
}

/** What agents said last about each pull request. */
export interface PullVoteStore {
  keep(
    pull: { readonly repositoryId: RepositoryId; readonly number: number },
    votes: VotesKept,
  ): Promise<void>
  /** By the number of the pull request. */
  ofRepository(id: RepositoryId): Promise<ReadonlyMap<number, VotesKept>>
}

/** Reviews and what they claimed. */
export interface ReviewStore {
  get(id: ReviewId): Promise<Review | null>
  list(repositoryId: RepositoryId, limit: number): Promise<readonly Review[]>
  /** The newest of each repository. */
  newestOfEach(): Promise<readonly Review[]>
  /** Those of the newest that nobody has ended. */
  running(repositoryId: RepositoryId, newest: number): Promise<readonly Review[]>
  findingsOf(issueId: IssueId): Promise<readonly Finding[]>
  /** Everything that is recorded about one issue, oldest first. */
  ledger(issueId: IssueId): Promise<Ledger>
}

/** What an agent says about a review while it works. */
export interface SaidWords {
  readonly about: ReviewId
  readonly agent: string
  readonly text: string
}

/** Passes words between the processes that share a database; nobody keeps them. */
export interface LiveWords {
  say(words: readonly SaidWords[]): Promise<void>
  /** Calls the listener with what other processes say; gives back what ends it. */
  hear(listener: (words: SaidWords) => void): () => void
}

export interface Ledger {
  readonly findings: readonly Finding[]
  readonly attempts: readonly Attempt[]
  readonly events: readonly FixEvent[]
  /** What happened outside of sessions. */
  readonly moves: readonly IssueMove[]
}

/** A delivery of a forge, and how far it is worked off. */
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

/** Deliveries of forges, each counted once, whichever process receives it. */
export interface DeliveryStore {
  /** Keeps it until a process works it off; false when it is known already. */
  keep(delivery: NewDelivery): Promise<boolean>
  /** Those that are not done, oldest first. */
  open(): Promise<readonly HookDelivery[]>
  /** Makes `owner` the one who works it off; false when somebody else was faster. */
  take(id: string, expectedOwner: string | null, owner: string): Promise<boolean>
  note(progress: HookDelivery & { readonly isDone: boolean }): Promise<void>
  /** The sessions that were started from a pull request, the newest first. */
  sessionsAt(place: string): Promise<readonly SessionId[]>
}
