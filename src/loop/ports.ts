import type { AgentRun, AgentSignal, AgentTask } from '../model/agent.ts'
import type { Attempt, Revision } from '../model/attempt.ts'
import type { FixEvent, NewEvent } from '../model/event.ts'
import type { Finding, WrittenFinding } from '../model/finding.ts'
import type { CommitId, IssueId, RepositoryId, ReviewId, SessionId, TreeId } from '../model/id.ts'
import type { Actor, Issue, IssueStatus } from '../model/issue.ts'
import type { Patch, PatchFile } from '../model/patch.ts'
import type { Repository } from '../model/repository.ts'
import type { Review } from '../model/review.ts'
import type { Session } from '../model/session.ts'
import type { CheckCommand, CommandRun } from '../model/verification.ts'
import type { Workspace } from '../model/workspace.ts'
import type { PromptTexts } from './prompts/texts/index.ts'

export interface Signature {
  readonly name: string
  readonly email: string
}

/** Reads what git stores. */
export interface Trees {
  /** The commit a ref or revision names, or null when there is none. */
  resolve(revision: string): Promise<Revision | null>
  /** The paths of all regular files of a tree. */
  list(tree: TreeId): Promise<ReadonlySet<string>>
  /** The commit that wrote each of the lines, as one sees it from `commit`; null where that cannot be told. */
  blame(commit: CommitId, places: readonly LinePlace[]): Promise<readonly (CommitId | null)[]>
  /** The newest commit that both have in their history, or null when there is none. */
  mergeBase(a: CommitId, b: CommitId): Promise<CommitId | null>
  /** The sizes of all regular files of a tree, in bytes. */
  sizes(tree: TreeId): Promise<ReadonlyMap<string, number>>
  /** The bytes of those of the paths that are regular files in the tree. */
  readMany(tree: TreeId, paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  /** The unified diff between two trees: text, never colours, binary files named only, at most maxBytes. */
  diff(from: TreeId, to: TreeId, maxBytes: number): Promise<string>
  /** The files that differ between two trees. */
  changes(from: TreeId, to: TreeId): Promise<readonly PatchFile[]>
  readCommit(commit: CommitId): Promise<CommitText>
  /** Whether `commit` is `tip` itself or among what it is built on. */
  isReached(commit: CommitId, tip: CommitId): Promise<boolean>
}

export interface CommitText {
  readonly parents: readonly CommitId[]
  readonly message: string
  /** What `refs/notes/fixpoint` says of it, where that is here. */
  readonly note: string | null
}

export interface LinePlace {
  readonly file: string
  readonly line: number
}

/** Makes git objects; never touches a ref, a checkout or an index of the user's. */
export interface Composer {
  /** The tree with the given paths put back as they are in `base`. */
  restore(tree: TreeId, base: TreeId, paths: readonly string[]): Promise<TreeId>
  /** Three-way merge in memory of a patch onto a tree. */
  compose(onto: TreeId, patch: Pick<Patch, 'base_tree' | 'tree'>): Promise<Composition>
  /** One commit object. The same request gives the same commit. */
  commit(request: CommitRequest): Promise<CommitId>
}

export type Composition = { readonly tree: TreeId } | { readonly conflicts: readonly string[] }

export interface CommitRequest {
  readonly tree: TreeId
  readonly parent: CommitId
  readonly message: string
  readonly author: Signature
  readonly date_ms: number
}

/** The one branch per session that Fixpoint may make and move in the user's repository. */
export interface Branches {
  /** Whether a new branch of this name could be made, or why not. */
  check(name: string): Promise<BranchState>
  /** Copies the commits' objects over and moves the branch by compare-and-swap; doing it twice is doing it once. */
  move(request: BranchMove): Promise<BranchMoved>
  /** Writes notes on commits under `refs/notes/fixpoint`, replacing earlier ones on the same commits. */
  note(notes: readonly CommitNote[]): Promise<void>
  /** Keeps a commit that cannot be put on its branch, under `refs/fixpoint/`; gives the full name of the ref. */
  keep(request: KeepRequest): Promise<string>
  /** Removes what was kept under this name, if anything was. */
  drop(name: string): Promise<void>
  /** The full name of the branch that a revision such as HEAD or `main` stands for; null when it stands for none. */
  branchOf(revision: string): Promise<string | null>
}

export interface KeepRequest {
  readonly name: string
  readonly commit: CommitId
  /** Objects reachable from it are there already. */
  readonly base: CommitId
}

export interface CommitNote {
  readonly commit: CommitId
  readonly text: string
}

export type BranchState =
  | { readonly state: 'free' }
  | { readonly state: 'exists'; readonly commit: CommitId; readonly checkedOut: boolean }
  | { readonly state: 'invalid'; readonly reason: string }

export interface BranchMove {
  readonly branch: string
  /** Null when the branch must not exist yet. */
  readonly from: CommitId | null
  readonly to: CommitId
  /** The session's base: objects reachable from it are there already. */
  readonly base: CommitId
}

export type BranchMoved =
  | { readonly moved: true }
  | {
      readonly moved: false
      readonly actual: CommitId | null
      /** Why it may not be moved although it is where it was left, such as being checked out. */
      readonly reason?: string
    }

/** The user's own checkout, which nobody but its user should change. */
export interface Checkout {
  /** Remembers what it looks like now. */
  watch(): Promise<CheckoutWatch>
  /** The tree of what is staged, or of everything that is not committed yet. */
  snapshot(what: 'staged' | 'uncommitted'): Promise<TreeId>
}

export interface CheckoutWatch {
  /** What changed since the last look; one that follows closely on another sees nothing, unless it must. */
  look(request: { readonly isForced: boolean }): Promise<CheckoutChanges>
}

export interface CheckoutChanges {
  /** Files that are not as they were and not as git has them, relative to the root. */
  readonly files: readonly string[]
  /** Files of the git directory that decide what git does: configuration, hooks. */
  readonly settings: readonly string[]
}

/** Private working trees outside the repository, opened by id. */
export interface Workspaces {
  /** Makes the workspace hold exactly this tree (plus shared and set-up files), whatever was there before. */
  open(request: WorkspaceRequest): Promise<Workspace>
  /** The workspace as an earlier step left it, or null when it is gone. */
  find(id: string): Promise<Workspace | null>
  /** What the tree on disk holds now, compared with `base`. */
  capture(workspace: Workspace, base: TreeId): Promise<Patch>
  close(id: string): Promise<void>
}

export interface WorkspaceRequest {
  readonly id: string
  readonly tree: TreeId
  /** The commit that the workspace's throw-away `.git` shows as HEAD. */
  readonly head: CommitId
  /** Only what git has: nothing is set up or shared, so no configured command runs. */
  readonly isPlain?: boolean
}

/** One agent behind one name: `rules`, `command`, `replay`, or a vendor's CLI. */
export interface Agent {
  readonly name: string
  /** Whose model it is; a fixer and a challenger of one family get a warning. Null for deterministic agents. */
  readonly family: string | null
  readonly can: AgentPowers
  run(request: AgentRequest): Promise<AgentRun>
}

/** What an agent offers beyond one prompt and one answer. */
export interface AgentPowers {
  /** Goes on with an earlier conversation. */
  readonly resume: boolean
  /** Goes on with a copy of an earlier conversation, which stays as it was. */
  readonly fork: boolean
  /** Starts sub-agents that are defined in the request. */
  readonly subagents: boolean
  /** Reads any number of files in one run. */
  readonly readsAll?: boolean
  /** Shortens a conversation on request. */
  readonly compact: boolean
}

/** One prompt, one answer, nothing kept. */
export const noPowers: AgentPowers = { resume: false, fork: false, subagents: false, compact: false }

/** A sub-agent that an agent may start by itself. */
export interface SubAgent {
  readonly name: string
  readonly description: string
  readonly prompt: string
}

export interface AgentRequest {
  readonly task: AgentTask
  readonly prompt: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly onSignal: (signal: AgentSignal) => void
  /** The conversation to go on with, for an agent that can. */
  readonly conversation?: { readonly id: string; readonly fork: boolean }
  readonly subagents?: readonly SubAgent[]
  /** What this run may cost at most, for an agent that can be told. */
  readonly budgetUsd?: number
}

/** The agents of each role, first choice first, then the fallbacks. */
export interface Agents {
  forRole(role: AgentTask['role']): readonly RoleAgent[]
}

export interface RoleAgent {
  readonly agent: Agent
  readonly timeoutMs: number
}

/** Runs the configured commands in order on exactly one tree, in a checkout of its own. */
export interface Checks {
  run(request: CheckRequest): Promise<readonly CommandRun[]>
}

export interface CheckRequest {
  readonly commands: readonly CheckCommand[]
  readonly revision: Revision
  readonly signal: AbortSignal
  /** A control of how steady the results are: every command runs twice, and no earlier result is believed. */
  readonly isControl?: boolean
}

/** Asks the tool that raised an issue again. Null when there is no such tool any more. */
export interface Origins {
  /** How often the issue's rule is loud in the given files of the tree. */
  ask(issue: RaisedIssue, revision: Revision, where: OriginFiles): Promise<OriginAnswer | null>
}

/** As much of an issue as its tool has to know. */
export type RaisedIssue = Pick<Issue, 'rule' | 'title' | 'file' | 'flagged_by'>

export interface OriginFiles {
  readonly files: readonly string[]
  readonly signal: AbortSignal
}

export type OriginAnswer = { readonly loud: number } | { readonly unanswered: string }

/** The configured tools that print reports, each run on a checkout of exactly one tree. */
export interface Scanners {
  readonly names: readonly string[]
  /** A crash, a timeout or a report that cannot be read is `failed`, never "no findings". */
  scan(name: string, revision: Revision, signal: AbortSignal): Promise<Scan>
}

export type Scan =
  | {
      readonly findings: readonly WrittenFinding[]
      /** Why it may not have told all. */
      readonly incomplete: readonly string[]
    }
  | { readonly failed: string }

/** Looks into a patch for what would make its own proof worthless. */
export interface PatchInspector {
  /** Where the patch weakens tests, checks or rules: only a person may allow it. */
  findTampering(changes: readonly FileChange[], options: TamperOptions): Promise<readonly PatchFlaw[]>
  /** Secrets that the patch adds; `unscanned` when that could not be found out. */
  findSecrets(changes: readonly FileChange[]): Promise<readonly PatchFlaw[] | { readonly unscanned: string }>
  /** Text with every secret replaced by a mark, for everything that leaves this process. */
  redact(text: string): Promise<string>
}

/** One file of a patch with its text on both sides; null where there is none. */
export interface FileChange {
  readonly path: string
  readonly oldPath: string | null
  readonly status: PatchFile['status']
  readonly before: string | null
  readonly after: string | null
  readonly isBinary: boolean
}

export interface TamperOptions {
  readonly protectedGlobs: readonly string[]
  /** Programs that verification commands run. */
  readonly checkFiles?: ReadonlySet<string>
  readonly findingFile: string | null
}

export interface PatchFlaw {
  readonly path: string
  readonly line: number | null
  readonly what: string
}

/** What is known of a repository's issues; every write is one transaction. */
export interface IssueStore {
  get(ids: readonly IssueId[]): Promise<readonly Issue[]>
  byCode(repositoryId: RepositoryId, codes: readonly string[]): Promise<readonly Issue[]>
  list(query: IssueQuery): Promise<IssuePage>
  /** How many there are of each status and severity. */
  count(query: Pick<IssueQuery, 'repositoryId' | 'class' | 'taskId' | 'text'>): Promise<readonly IssueCount[]>
  /** Moves or edits one issue as a person asked; illegal moves are refused inside the transaction. */
  change(id: IssueId, actor: Actor, edit: (issue: Issue) => Issue): Promise<Issue>
  /** Plans with what is known under a write lock, then stores review, findings and issues together. */
  triage(request: TriageRequest): Promise<TriageOutcome>
}

export interface IssueQuery {
  readonly repositoryId: RepositoryId
  readonly status?: readonly IssueStatus[]
  readonly severity?: readonly Issue['severity'][]
  readonly class?: readonly Issue['class'][]
  readonly taskId?: string
  readonly text?: string
  readonly cursor?: string
  readonly limit: number
}

export interface IssueCount {
  readonly status: IssueStatus
  readonly severity: Issue['severity']
  readonly count: number
}

export interface IssuePage {
  readonly issues: readonly Issue[]
  readonly nextCursor: string | null
}

export interface TriageRequest {
  readonly review: Review
  readonly findings: readonly Finding[]
  /** Pure; gets the issues that share a fingerprint or a file with a finding. */
  readonly plan: (known: readonly Issue[]) => TriagePlan
}

/** A new issue before the store has given it its code. */
export type NewIssue = Omit<Issue, 'code'>

export interface TriagePlan {
  readonly created: readonly NewIssue[]
  readonly changed: readonly Issue[]
  /** Which issue each finding became or joined, in the order of the findings. */
  readonly issueOf: readonly IssueId[]
}

export interface TriageOutcome {
  readonly created: readonly Issue[]
  readonly changed: readonly Issue[]
}

/** Sessions, their attempts and their events. A row and its events are written in one transaction. */
export interface SessionStore {
  /** Claims the issues and stores the session with its attempts; refuses issues that another session holds. */
  create(
    session: Session,
    attempts: readonly Attempt[],
    events: readonly NewEvent[],
    key?: RequestKey,
  ): Promise<readonly FixEvent[]>
  /** The session that was made for the same request not long ago. */
  findRequest(key: RequestKey): Promise<SessionId | null>
  /** Writes what changed, with the events that tell of it. */
  record(change: SessionChange): Promise<readonly FixEvent[]>
  /** Makes `owner` the driver if the session still has the expected owner; busy when someone else was faster. */
  take(id: SessionId, expectedOwner: string | null, owner: string): Promise<StoredSession>
  load(id: SessionId): Promise<StoredSession | null>
  /** Asks whoever drives the session to end it; asking twice is asking once. */
  requestCancel(id: SessionId): Promise<void>
  isCancelRequested(id: SessionId): Promise<boolean>
  list(repositoryId: RepositoryId, limit: number): Promise<readonly Session[]>
  events(id: SessionId, afterSeq: number, limit?: number): Promise<readonly FixEvent[]>
  /** The number of the newest event; 0 when there is none. */
  lastSeq(id: SessionId): Promise<number>
}

/** What makes two requests for a session the same one, for a while. */
export interface RequestKey {
  readonly key: string
  readonly lifetimeMs: number
  /** Take the key over, whatever an earlier request came to. */
  readonly force: boolean
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
  /** Finds a repository by its key or stores it under the new id; a moved one gets its new path. */
  ensure(request: RepositoryRequest): Promise<Repository>
  get(id: RepositoryId): Promise<Repository | null>
  list(): Promise<readonly Repository[]>
}

export interface RepositoryRequest {
  readonly key: string
  readonly path: string
  readonly newId: RepositoryId
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
}

/** Results of commands by (tree, command, environment), so that no tree is verified twice. */
export interface CheckCache {
  get(key: string): Promise<CommandRun | null>
  put(key: string, run: CommandRun): Promise<void>
}

/** Prompts, transcripts, outputs and patches of a session, by name. */
export interface Artifacts {
  write(sessionId: SessionId, name: string, text: string): Promise<void>
  read(sessionId: SessionId, name: string): Promise<string | null>
  /** The names of all that is kept of a session, in order. */
  list(sessionId: SessionId): Promise<readonly string[]>
}

/** The prompt files that hold for a base commit: built in, the repository's, the person's own. */
export interface Prompts {
  read(base: TreeId): Promise<PromptTexts>
}

export interface Clock {
  /** Wall clock, for records only. */
  now(): number
  /** Waits about this long, never less, and no longer than until the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export interface Ids {
  next(prefix: string): string
}

/** A hash of text, in hexadecimal. */
export type Hash = (text: string) => string

/** Everything that happens in a session, as it happens: durable events and live text alike. */
export interface Publisher {
  publish(event: FixEvent): void
}

/** What the drivers need of the outside world for one repository. */
export interface Ports {
  readonly trees: Trees
  readonly composer: Composer
  readonly branches: Branches
  readonly checkout: Checkout
  readonly workspaces: Workspaces
  readonly agents: Agents
  readonly checks: Checks
  readonly scanners: Scanners
  /** Every tool that can be asked again. */
  readonly origins: readonly Origins[]
  readonly inspector: PatchInspector
  readonly issues: IssueStore
  readonly sessions: SessionStore
  readonly artifacts: Artifacts
  readonly prompts: Prompts
  readonly clock: Clock
  readonly ids: Ids
  readonly hash: Hash
  readonly publisher: Publisher
  readonly author: Signature
}
