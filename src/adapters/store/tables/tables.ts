import type { CompiledQuery, Generated, Kysely, Selectable } from 'kysely'
import type { Issue, IssueClass, IssueStatus } from '../../../model/issue/issue.ts'
import type { Severity } from '../../../model/issue/severity.ts'
import type { SessionStatus } from '../../../model/session/session.ts'

/** The database that the queries run on. */
export interface Database {
  readonly query: Kysely<Tables>
  /** Wall clock in milliseconds, for records only. */
  readonly now: () => number
  readonly executeMany: ExecuteMany
  /** Adds issues that were inserted to the totals, where the database does not do so by itself. */
  readonly countInserted: (transaction: Kysely<Tables>, issues: readonly CountedIssue[]) => Promise<void>
  readonly lockRepository: LockRepository
  /** The same database for many rows at once, where possible without keeping this thread busy. */
  readonly forMany: () => Promise<Database>
}

/** What an issue is counted by. */
export type CountedIssue = Pick<Issue, 'repository_id' | 'status' | 'severity'>

/** Runs one compiled statement once per parameter list, inside the transaction that is given. */
export type ExecuteMany = (
  transaction: Kysely<Tables>,
  statement: CompiledQuery,
  parameterLists: Iterable<readonly unknown[]>,
) => Promise<void>

/**
 * Keeps every other writer of a repository out until the transaction ends. Each transaction that writes begins with it,
 * so that what it reads is still true when it writes; nobody holds two, so nobody waits for ever.
 */
export type LockRepository = (transaction: Kysely<Tables>, of: LockedRepository) => Promise<void>

/** A repository by its own id, or by something that belongs to it; `all` for the list of repositories itself. */
export type LockedRepository =
  | { readonly repository: string }
  | { readonly issue: string }
  | { readonly session: string }
  | 'all'

/** Each row holds its noun whole in `data`; the other columns serve for looking up, ordering and joining. */
export interface Tables {
  /** Which migrations were applied; kysely's own. */
  kysely_migration: { name: string; timestamp: string }
  repository: {
    id: string
    key: string
    path: string
    created_at: string
    url: string | null
    /** Not on the list any more; whoever adds it again finds everything as it was. */
    removed_at: string | null
  }
  /** Hashes of what a person trusted of a repository by URL, for the workers of all machines. */
  repository_trust: { repository_id: string; item: string; trusted_at: string }
  review: { id: string; repository_id: string; data: string }
  /** Reviews that somebody asked for and that are not over; whoever shows an older number writes nothing. */
  review_order: {
    id: string
    repository_id: string
    number: number
    /** Who runs it. */
    owner: string | null
    last_seq: number
    data: string
  }
  /** What happened in the reviews that somebody asked for. */
  review_event: { review_id: string; seq: number; data: string }
  finding: { issue_id: string; id: string; review_id: string; data: string }
  issue: {
    id: string
    repository_id: string
    task_id: string | null
    code: string
    /** Its first characters, for looking it up. */
    fingerprint: string
    file: string | null
    status: IssueStatus
    severity: Severity
    /** The priority turned round, so that ascending order is the order of lists. */
    rank: number
    /** Title, code and file in lower case. */
    search: string
    /** The finding that the issue was made of, as it was; null when there was none. */
    lead: string | null
    /** What the issue says that is neither in a column nor the same in `lead`. */
    data: string
    rule: string | null
    /** Who flagged it, each name between line ends. */
    tools: string
    /** The kind of who said it first. */
    source: string | null
    /** The folder of its file; empty for files at the top. */
    folder: string | null
    created_at: string
  }
  /** How many issues there are of each status and severity; see `issue-totals.ts`. */
  issue_total: { repository_id: string; status: IssueStatus; severity: Severity; count: number }
  /** Moves of an issue outside of sessions, counted from 1. */
  issue_move: { issue_id: string; number: number; data: string }
  code_counter: { repository_id: string; class: IssueClass; last: number }
  session: {
    id: string
    repository_id: string
    owner: string | null
    last_seq: number
    data: string
    status: SessionStatus
  }
  /** The newest session of each request; see RequestKey. */
  session_request: { key: string; session_id: string; created_at: number }
  /** Sessions that somebody asked to end. */
  session_cancel: { session_id: string; requested_at: number }
  /** Requests of people to sessions that another process drives, until it has read them. */
  session_note: { session_id: string; number: number; data: string }
  /** Workers of a queue that several machines share, and when each was heard of last. */
  worker: { id: string; seen_at: number; data: string }
  /** Chores that one worker does for all, and when each was done last. */
  chore: { name: string; done_at: number }
  /** How many agents of one family run, in all processes; each holder says now and then that it is alive. */
  provider_place: { provider: string; place: number; holder: string; seen_at: number }
  /** Providers that nobody asks for a while. */
  provider_pause: { provider: string; until_ms: number; data: string }
  attempt: {
    id: string
    session_id: string
    issue_id: string
    position: number
    data: string
    /** What it asks of a person: about a held patch, or about a dispute. */
    asks: 'held' | 'dispute' | null
    /** Higher whenever somebody else may write to it: whoever shows an older number writes nothing. */
    lease_number: Generated<number>
    /** Who works on it, where its session's driver gave it out. */
    lease_owner: string | null
    /** On which terms it was given out, and what became of that. */
    lease: string | null
  }
  event: { session_id: string; seq: number; issue_id: string | null; data: string }
  /** Processes that own sessions of a database that several machines use; when each was heard of last. */
  process_lease: { process: string; renewed_at: number }
  /** Deliveries of forges: the delivery, its subject, the pull request that it is about, and the process that works it off. */
  hook_delivery: {
    id: string
    subject: string
    place: string
    state: 'open' | 'done'
    owner: string | null
    received_at: number
    data: string
  }
  /** The hashes of the tokens that let people in. */
  access_token: { id: string; name: string; hash: string; data: string }
  /** The record of who changed what. */
  audit: { id: string; person: string; data: string }
  /** The newest votes of agents on each pull request. */
  pull_vote: { repository_id: string; number: number; data: string }
  command_run: { key: string; created_at: number; data: string }
}

export type TableRow<Table extends keyof Tables> = Selectable<Tables[Table]>
