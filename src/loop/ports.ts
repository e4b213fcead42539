import type { CommitId, TreeId } from '../model/id.ts'
import type { Patch } from '../model/patch.ts'
import type { Workspace } from '../model/workspace.ts'

export interface Revision {
  readonly commit: CommitId
  readonly tree: TreeId
}

export interface Signature {
  readonly name: string
  readonly email: string
}

/** Reads and makes git objects; never touches a ref, a checkout or an index of the user's. */
export interface Trees {
  /** The commit a ref or revision names, or null when there is none. */
  resolve(revision: string): Promise<Revision | null>
  /** A file's bytes in a tree, or null when there is no such regular file. */
  read(tree: TreeId, path: string): Promise<Uint8Array | null>
  /** The unified diff between two trees: text, never colours, binary files named only, at most maxBytes. */
  diff(from: TreeId, to: TreeId, maxBytes: number): Promise<string>
  /** The tree with the given paths put back as they are in `base`. */
  restore(tree: TreeId, base: TreeId, paths: readonly string[]): Promise<TreeId>
  /** Three-way merge in memory of a patch onto a tree. */
  compose(onto: TreeId, patch: Pick<Patch, 'base_tree' | 'tree'>): Promise<Composition>
  /** One commit object. The same request gives the same commit. */
  commit(request: CommitRequest): Promise<CommitId>
}

export type Composition =
  | { readonly tree: TreeId }
  | { readonly conflicts: readonly string[] }

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
  /** Writes a note on a commit under `refs/notes/fixpoint`. */
  note(commit: CommitId, text: string): Promise<void>
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
  | { readonly moved: false; readonly actual: CommitId | null }

/** Private working trees outside the repository, opened by id. */
export interface Workspaces {
  /** Makes the workspace hold exactly this tree (plus shared and set-up files), whatever was there before. */
  open(request: WorkspaceRequest): Promise<Workspace>
  /** What the tree on disk holds now, compared with `base`. */
  capture(workspace: Workspace, base: TreeId): Promise<Patch>
  close(id: string): Promise<void>
}

export interface WorkspaceRequest {
  readonly id: string
  readonly tree: TreeId
  /** The commit that the workspace's throw-away `.git` shows as HEAD. */
  readonly head: CommitId
}
