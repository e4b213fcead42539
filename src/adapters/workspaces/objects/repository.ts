import type { Signature } from '../../../loop/ports.ts'
import type { RepositoryId } from '../../../model/id.ts'
import type { Git } from './git.ts'
import type { NameReader } from './name-reader.ts'
import type { ObjectReader } from './object-reader.ts'
import type { TreeDiffs } from './tree-diffs.ts'

/** The facts about the user's repository that are read before anything is made of it. */
export interface DiscoveredRepository {
  /** The checkout's root, links resolved. */
  readonly root: string
  /** Of this checkout; in a linked worktree it differs from `commonDir`. */
  readonly gitDir: string
  readonly commonDir: string
  /** Where its objects are: its own folder first, then its alternates. */
  readonly objectDirs: readonly string[]
  readonly objectFormat: 'sha1' | 'sha256'
  readonly isShallow: boolean
  readonly isPartial: boolean
  readonly sharedRepository: string | null
  readonly excludesFile: string | null
  readonly identity: Signature
  /** Where it was cloned from: `origin`, or the only remote there is. */
  readonly remoteUrl: string | null
  /** What the user should know, such as a missing identity. */
  readonly notes: readonly string[]
}

/** The user's repository, and Fixpoint's own git directory beside it that borrows its objects. */
export interface GitRepository extends DiscoveredRepository {
  /** The same for every checkout of one repository; names its folder under FIXPOINT_HOME. */
  readonly key: string
  /** Which repository the clone remembers to be. */
  readonly repositoryId: RepositoryId | null
  readonly home: string
  /** All work is done here. */
  readonly owned: Git
  /** The user's shared git directory: asked about refs, and moved by compare-and-swap only. */
  readonly users: Git
  /** The git directory of the checkout, which alone knows its HEAD. */
  readonly checkout: Git
  /** How long an object's name is. */
  readonly oidBytes: number
  /** What the owned git directory sees. */
  readonly objects: ObjectReader
  /** What names mean in the user's checkout. */
  readonly names: NameReader
  readonly diffs: TreeDiffs
}
