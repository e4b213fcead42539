import { readdirSync } from 'node:fs'
import { lstatIfThere } from '../objects/files.ts'
import type { Git } from '../objects/git.ts'
import { splitNul, toByteString, bytesBelow, parentOf } from '../objects/names.ts'
import { parseRawDiff } from '../objects/raw-diff.ts'
import type { CheckedOut } from './check-out-tree.ts'
import { pastPipes } from '../objects/past-pipes.ts'
import { topsOf } from './renew-tree.ts'
import {
  compareFiles,
  compareFolders,
  digestOf,
  readIndex,
  type FolderState,
  type ReadIndex,
  type TreeState,
} from './tree-state.ts'
import { openFolders } from '../../process/leftovers/remove-tree.ts'

/** A path of the tree on disk that differs from the index. */
export interface FoundChange {
  readonly path: Buffer
  /** `nested`: a folder that git takes for a repository of its own. */
  readonly kind: 'put' | 'remove' | 'nested'
  readonly bytes: number
  /** Set for a file that its owner may not read. */
  readonly unreadableMode: number | null
}

/** A tree to look into, and the git that knows which names are ignored. */
export interface SearchedTree extends CheckedOut {
  readonly git: Git
}

const MAX_NAME_BYTES = 64 * 1024 * 1024

/** Everything that was added, changed or removed, without looking into submodules; null when there are too many names. */
export async function findTreeChanges(searched: SearchedTree): Promise<FoundChange[] | null> {
  const list = async () => {
    const [tracked, untracked] = await Promise.all([askForTracked(searched), askForUntracked(searched)])
    return { tracked, untracked, stderr: tracked.stderr + untracked.stderr }
  }
  let listed = await list()
  if (/Permission denied/i.test(listed.stderr)) {
    await openFolders(Buffer.from(searched.tree))
    listed = await list()
  }
  if (listed.tracked.isCut || listed.untracked.isCut) return null
  const changes: FoundChange[] = []
  for (const { path, status } of parseRawDiff(listed.tracked.stdout)) {
    // A removed path may still be reachable, through a link that took the place of its folder.
    changes.push(status === 'D' ? gone(path) : ((await changeAt(searched.tree, path)) ?? gone(path)))
  }
  return [...changes, ...(await lookAtUntracked(searched, listed.untracked.stdout))]
}

/** New names that git does not ignore; null when there are too many, or not all folders can be read. */
async function listUntracked(searched: SearchedTree): Promise<FoundChange[] | null> {
  const { stdout, stderr, isCut } = await askForUntracked(searched)
  return isCut || /Permission denied/i.test(stderr) ? null : lookAtUntracked(searched, stdout)
}

const ask = ({ git, tree, index }: SearchedTree, args: readonly string[]) =>
  pastPipes(
    { tree, of: 'ours' },
    git.run(args, {
      env: { GIT_INDEX_FILE: index, GIT_WORK_TREE: tree },
      maxBytes: MAX_NAME_BYTES,
      overflow: 'cut',
    }),
  )

const askForTracked = (searched: SearchedTree) =>
  ask(searched, ['diff-files', '-z', '--raw', '--ignore-submodules=all'])

const askForUntracked = (searched: SearchedTree) =>
  ask(searched, ['ls-files', '-o', '-z', '--exclude-standard'])

async function lookAtUntracked({ tree }: SearchedTree, output: Buffer): Promise<FoundChange[]> {
  const changes: FoundChange[] = []
  for (const path of splitNul(output)) {
    if (path.at(-1) === SLASH) changes.push({ ...gone(path), kind: 'nested' })
    else changes.push(...[await changeAt(tree, path)].filter((change) => change !== null))
  }
  return changes
}

const SLASH = 0x2f

const gone = (path: Buffer): FoundChange => ({ path, kind: 'remove', bytes: 0, unreadableMode: null })

/** Null for what git cannot hold: folders, pipes, sockets, devices, and what is not there. */
async function changeAt(folder: string, path: Buffer): Promise<FoundChange | null> {
  const stat = await lstatIfThere(Buffer.concat([Buffer.from(`${folder}/`), path]))
  if (!stat?.isFile() && !stat?.isSymbolicLink()) return null
  const unreadableMode = stat.isFile() && (stat.mode & 0o400) === 0 ? stat.mode & 0o777 : null
  return { path, kind: 'put', bytes: stat.size, unreadableMode }
}

interface KnownTree {
  readonly state: TreeState
  readonly excluded: readonly string[]
  readonly oidBytes: number
}

/**
 * The same as `findTreeChanges`, for a tree that this process checked out itself: untouched files are not looked at,
 * and git is asked only when there are new names, which its rules may ignore. Null when that is not possible.
 */
export async function findKnownChanges(
  searched: SearchedTree,
  { state, excluded, oidBytes }: KnownTree,
): Promise<FoundChange[] | null> {
  const index = await readIndex(searched.index, oidBytes)
  if (digestOf(index.bytes) !== state.indexDigest) return null
  const folders = await compareFolders(searched.tree, state)
  const files = await compareFiles(searched.tree, { state, index }, (at) => folders.get(at) !== 'lost')
  const changes: FoundChange[] = []
  for (const { path } of files) {
    const bytes = Buffer.from(path, 'latin1')
    changes.push((await changeAt(searched.tree, bytes)) ?? gone(bytes))
  }
  const isLost = (path: string): boolean => folders.get(parentOf(path)) === 'lost'
  for (const { path } of index.entries) if (isLost(path)) changes.push(gone(Buffer.from(path, 'latin1')))
  const isNew =
    changes.some(({ kind }) => kind === 'remove') ||
    hasNewNames(searched, { state, excluded, index, folders })
  if (!isNew) return changes
  const untracked = await listUntracked(searched)
  return untracked && [...changes, ...untracked]
}

/** Whether a folder holds anything but the files that were checked out and prepared. A file in the place of a lost name counts as new, too. */
function hasNewNames(
  { tree }: SearchedTree,
  found: {
    readonly state: TreeState
    readonly excluded: readonly string[]
    readonly index: ReadIndex
    readonly folders: ReadonlyMap<string, FolderState>
  },
): boolean {
  const touched = new Set([...found.folders].filter(([, how]) => how === 'touched').map(([path]) => path))
  if (touched.size === 0) return false
  const known = new Set(['.git', ...topsOf(found.excluded, found.state.folders)])
  for (const { path } of found.index.entries) if (touched.has(parentOf(path))) known.add(path)
  for (const [path, how] of found.folders) if (how !== 'lost') known.add(path)
  const root = toByteString(tree)
  return [...touched].some((folder) =>
    readdirSync(bytesBelow(root, folder), 'buffer').some((name) => {
      const path = name.toString('latin1')
      return !known.has(folder === '' ? path : `${folder}/${path}`)
    }),
  )
}
