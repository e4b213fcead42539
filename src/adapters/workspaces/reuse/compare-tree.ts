import { lstatSync } from 'node:fs'
import { isAsRecorded, type IndexEntry } from '../git/index-file.ts'
import { bytesBelow, parentOf, toByteString } from './byte-path.ts'
import { createSlices } from './slices.ts'
import { describeInode, type ReadIndex, type TreeState } from './tree-state.ts'

/**
 * `kept`: as it was, with the same names in it. `touched`: the same folder, but names or its mode were changed.
 * `lost`: gone, or something else stands there.
 */
export type FolderState = 'kept' | 'touched' | 'lost'

/** How each folder of the tree is now, parents first; nothing is looked for behind a folder that is lost. */
export async function compareFolders(
  folder: string,
  state: TreeState,
): Promise<ReadonlyMap<string, FolderState>> {
  const root = toByteString(folder)
  const pause = createSlices()
  const found = new Map<string, FolderState>()
  for (const [path, known] of state.folders) {
    const isBehindLost = path !== '' && found.get(parentOf(path)) === 'lost'
    found.set(path, isBehindLost ? 'lost' : lookAt(bytesBelow(root, path), known, state.takenAtNs))
    await pause()
  }
  return found
}

function lookAt(path: Buffer, known: string, takenAtNs: bigint): FolderState {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stat?.isDirectory() || !known.startsWith(`${stat.dev} ${stat.ino} `)) return 'lost'
  return stat.ctimeNs < takenAtNs && describeInode(stat) === known ? 'kept' : 'touched'
}

/** The files of these folders that are not, for certain, the ones that were checked out. */
export async function compareFiles(
  folder: string,
  { state, index }: { state: TreeState; index: ReadIndex },
  isLookedAt: (parent: string) => boolean,
): Promise<IndexEntry[]> {
  const root = toByteString(folder)
  const pause = createSlices()
  const changed: IndexEntry[] = []
  for (const entry of index.entries) {
    if (!isLookedAt(parentOf(entry.path))) continue
    const stat = lstatSync(bytesBelow(root, entry.path), { bigint: true, throwIfNoEntry: false })
    const isKept = stat && stat.ctimeNs < state.takenAtNs && isAsRecorded(index.bytes, entry, stat)
    if (!isKept) changed.push(entry)
    await pause()
  }
  return changed
}

/** Whether nobody has touched anything in the throw-away `.git`. */
export function isGitAsItWas(folder: string, { gitFiles, takenAtNs }: TreeState): boolean {
  const root = toByteString(folder)
  return [...gitFiles].every(([path, known]) => {
    const stat = lstatSync(bytesBelow(root, path), { bigint: true, throwIfNoEntry: false })
    return stat !== undefined && stat.ctimeNs < takenAtNs && describeInode(stat) === known
  })
}
