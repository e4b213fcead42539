/** The ports over git: what it stores, the one branch, the person's checkout, and working trees of our own. */

import type { Revision } from '../model/attempt/attempt.ts'
import type { CommitId, TreeId } from '../model/id.ts'
import type { Patch, PatchFile } from '../model/proof/patch.ts'
import type { Workspace } from '../model/attempt/workspace.ts'
import type { NamedObject } from '../model/session/named-objects.ts'

export interface Signature {
  readonly name: string
  readonly email: string
}

/** The files of one tree. */
interface TreeFiles {
  /** The paths of all regular files of a tree. */
  list(tree: TreeId): Promise<ReadonlySet<string>>
  /** The id of the content of every regular file of a tree. */
  blobs(tree: TreeId): Promise<ReadonlyMap<string, string>>
  /** The sizes of all regular files of a tree, in bytes. */
  sizes(tree: TreeId): Promise<ReadonlyMap<string, number>>
  /** The bytes of those of the paths that are regular files in the tree. */
  readMany(tree: TreeId, paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
}

/** What differs between two trees. */
interface TreeDifferences {
  /** The unified diff between two trees: text, never colours, binary files named only, at most maxBytes. */
  diff(from: TreeId, to: TreeId, maxBytes: number): Promise<string>
  /** The files that differ between two trees. */
  changes(from: TreeId, to: TreeId): Promise<readonly PatchFile[]>
}

/** Single commits, and who wrote what. */
interface CommitReader {
  /** The commit a ref or revision names, or null when there is none. */
  resolve(revision: string): Promise<Revision | null>
  readCommit(commit: CommitId): Promise<CommitText>
  /** The commit that wrote each of the lines, as one sees it from `commit`; null where that cannot be told. */
  blame(commit: CommitId, places: readonly LinePlace[]): Promise<readonly (CommitId | null)[]>
}

/** Which commit is built on which. */
interface Ancestry {
  /** The newest commit that both have in their history, or null when there is none. */
  mergeBase(a: CommitId, b: CommitId): Promise<CommitId | null>
  /** Whether `commit` is `tip` itself or among what it is built on. */
  isReached(commit: CommitId, tip: CommitId): Promise<boolean>
  /** The commits of this clone's branches and tags that are built on one, nearest first. */
  builtOn(commit: CommitId): Promise<readonly Revision[]>
  /**
   * Whether the history of `tip` holds the commit's change: the commit itself, the same patch, or a commit whose
   * message has all the lines.
   */
  holdsChange(request: ChangeRequest): Promise<boolean>
}

/** Reads what git stores. */
export interface Trees extends TreeFiles, TreeDifferences, CommitReader, Ancestry {}

export interface ChangeRequest {
  readonly commit: CommitId
  readonly tip: CommitId
  /** Where the commit's branch began: only what came after it is searched. */
  readonly since: CommitId
  /** Lines of the commit's message that no other change has, such as its trailers. */
  readonly lines: readonly string[]
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
  /** The tree with these texts at these paths. */
  add(tree: TreeId, files: ReadonlyMap<string, string>): Promise<TreeId>
  /** Three-way merge in memory of a patch onto a tree. */
  compose(onto: TreeId, patch: Pick<Patch, 'base_tree' | 'tree'>): Promise<Composition>
  /** One commit object. The same request gives the same commit. */
  commit(request: NewCommit): Promise<CommitId>
}

export type Composition = { readonly tree: TreeId } | { readonly conflicts: readonly string[] }

export interface NewCommit {
  readonly tree: TreeId
  readonly parent: CommitId
  readonly message: string
  readonly author: Signature
  readonly date_ms: number
}

/** Commits that are kept beside their branch. */
interface KeptCommits {
  /** Keeps a commit that cannot be put on its branch, under `refs/fixpoint/`; gives the full name of the ref. */
  keep(request: KeepRequest): Promise<string>
  /** Removes what was kept under this name, if anything was. */
  drop(name: string): Promise<void>
}

/** The one branch per session that Fixpoint may make and move in the user's repository. */
export interface Branches extends KeptCommits {
  /** Whether a new branch of this name could be made, or why not. */
  check(name: string): Promise<BranchState>
  /** Copies the commits' objects over and moves the branch by compare-and-swap; doing it twice is doing it once. */
  move(request: BranchMove): Promise<BranchMoved>
  /** Writes notes on commits under `refs/notes/fixpoint`, replacing earlier ones on the same commits. */
  note(notes: readonly CommitNote[]): Promise<void>
  /** The full name of the branch that a revision such as HEAD or `main` stands for; null when it stands for none. */
  branchOf(revision: string): Promise<string | null>
  /** The names of all branches of this clone. */
  names(): Promise<ReadonlySet<string>>
  /** Whether a branch of this clone or of one of its remotes has the commit in its history. */
  hold(commit: CommitId): Promise<boolean>
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
export interface UserCheckout {
  /** Remembers what it looks like now. */
  watch(): Promise<CheckoutWatch>
  /** The tree of what is staged, or of everything that is not committed yet. */
  snapshot(what: 'staged' | 'uncommitted'): Promise<TreeId>
}

export interface CheckoutWatch {
  /** What changed since the last look. A look that follows closely on another sees nothing, unless it is forced. */
  look(request: { readonly isForced: boolean }): Promise<CheckoutChanges>
}

export interface CheckoutChanges {
  /** Files that are not as they were and not as git has them, relative to the root. */
  readonly files: readonly string[]
  /** Files of the git directory that decide what git does: configuration, hooks. */
  readonly settings: readonly string[]
  /** Refs that are new, gone or point to something else, but for those of remotes. */
  readonly refs: readonly string[]
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
  /** Lets somebody hear whenever `workspace.setup` is waited for, here or in another process, or the files of a workspace for long, and when that is over. */
  onSetup?(listener: (told: SetupTold) => Promise<void>): () => void
}

export interface SetupTold {
  /** The command; null where files are made. */
  readonly run: string | null
  readonly isOver: boolean
}

export interface WorkspaceRequest {
  readonly id: string
  readonly tree: TreeId
  /** The commit that the workspace's throw-away `.git` shows as HEAD. */
  readonly head: CommitId
  /** Only what git has: nothing is set up or shared, so no configured command runs. */
  readonly isPlain?: boolean
}

/** The repository on the other side, which branches are pushed to: never by force. */
export interface Remote {
  /** What a ref points to there; null when there is none. */
  tip(ref: string): Promise<CommitId | null>
  /** Puts a commit under a branch there; doing it twice is doing it once. */
  push(branch: string, commit: CommitId): Promise<PushedBranch>
  /** Adds notes on commits to `refs/notes/fixpoint` there; what stands there stays. Says why not, where it is refused. */
  pushNotes(notes: readonly CommitNote[]): Promise<string | null>
  /** Brings a ref over, under a name of our own; null when there is none. */
  fetch(ref: string): Promise<CommitId | null>
}

export interface PushedBranch {
  /** Whether anything had to be sent. */
  readonly pushed: boolean
}

/** A session's work as one file: a git bundle that any git can read. */
export interface Bundles {
  write(bundle: NewBundle): Promise<Uint8Array>
  /** What it says to hold, read as data; a fault when it cannot be read. */
  header(bytes: Uint8Array): BundleHeader
  /** Takes its objects in, after git has checked every one; makes no ref. A fault when one is broken or missing. */
  unpack(bytes: Uint8Array): Promise<void>
}

/** Objects that rows speak of, under way from one machine to another. */
export interface Parcels {
  /** Whether it is here, with all that it is made of. */
  has(object: NamedObject): Promise<boolean>
  /** What brings it to where everything older is. */
  pack(object: NamedObject): Promise<Uint8Array>
  /** Takes it in after every object was checked; a fault when it is not what was expected, broken or too large. */
  unpack(object: NamedObject, bytes: Uint8Array): Promise<void>
}

export interface BundleHeader {
  readonly refs: ReadonlyMap<string, CommitId>
  /** The commits that it builds on and does not hold. */
  readonly needs: readonly CommitId[]
}

export interface NewBundle {
  readonly branch: string
  readonly tip: CommitId
  readonly base: CommitId
  readonly notes: readonly CommitNote[]
  /** What else is told, by path, and the ref of the commit that holds it. */
  readonly files: ReadonlyMap<string, string>
  readonly filesRef: string
}
