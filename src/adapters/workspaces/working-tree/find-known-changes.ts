import { readdirSync } from 'node:fs'
import { toByteString, bytesBelow, parentOf } from '../reuse/byte-path.ts'
import { compareFiles, compareFolders, type FolderState } from '../reuse/compare-tree.ts'
import { gone, listUntracked, look, type FoundChange, type SearchedTree } from './find-changes.ts'
import { topsOf } from '../reuse/renew-tree.ts'
import { digestOf, readIndex, type ReadIndex, type TreeState } from '../reuse/tree-state.ts'

export interface KnownTree {
  readonly state: TreeState
  readonly excluded: readonly string[]
  readonly oidBytes: number
}

/**
 * The same as `findChanges`, for a tree that this process checked out itself: what nobody touched is not looked at,
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
    changes.push((await look(searched.tree, bytes)) ?? gone(bytes))
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

/** Whether a folder holds anything but what was checked out and prepared. What took a lost name counts as new, too. */
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
