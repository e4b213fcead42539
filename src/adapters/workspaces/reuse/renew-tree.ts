import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { TreeId } from '../../../model/id.ts'
import type { Git } from '../git/git.ts'
import { bytesOfName } from '../git/names.ts'
import { bytesBelow, parentOf, toByteString } from './byte-path.ts'
import type { CheckedOut } from '../working-tree/check-out.ts'
import { compareFiles, compareFolders, isGitKept, type FolderState } from './compare-tree.ts'
import { digestOf, readIndex, type TreeState } from './tree-state.ts'

export interface UsedTree {
  readonly checkedOut: CheckedOut
  readonly state: TreeState
  /** Shared and set-up paths in it. */
  readonly excluded: readonly string[]
}

export interface RenewRequest {
  readonly tree: TreeId
  /** Where the index of the renewed tree is to be. */
  readonly index: string
  readonly oidBytes: number
  /** A folder that gets what has to go; it is made when something has to. */
  readonly aside: string
}

export type Renewed = { readonly isGitKept: boolean; readonly isIndexKept: boolean }

/**
 * Makes a used tree hold exactly another one. Only inodes that nobody touched since they were checked out stay; all
 * the rest is taken away first, whatever it is, and git writes what is then missing or differs. Null when the tree
 * cannot be trusted; it is then in no particular state.
 */
export async function renewTree(git: Git, used: UsedTree, request: RenewRequest): Promise<Renewed | null> {
  const { checkedOut, state } = used
  const index = await readIndex(checkedOut.index, request.oidBytes)
  if (digestOf(index.bytes) !== state.indexDigest || index.gitlinks.length > 0) return null
  const folders = await compareFolders(checkedOut.tree, state)
  if (folders.get('') === 'lost' || hasImpossible(folders)) return null
  const isKept = isGitKept(checkedOut.tree, state)
  const changed = await compareFiles(checkedOut.tree, { state, index }, (at) => folders.get(at) === 'kept')
  const root = toByteString(checkedOut.tree)
  const aside = createAside(request.aside)
  // A folder that is made anew keeps none of these.
  const isGitThere = isKept && folders.get('') === 'kept'
  if (!isGitThere) aside.take(bytesBelow(root, '.git'))
  for (const path of topsOf(used.excluded, state.folders))
    // Behind a lost folder may be anything, also what is not ours; it goes with the folder above.
    if (folders.get(parentOf(path)) !== 'lost') aside.take(bytesBelow(root, path))
  for (const { path } of changed) unlinkSync(bytesBelow(root, path))
  const touched = [...folders].filter(([, how]) => how === 'touched').map(([path]) => path)
  for (const path of touched) remake(root, path, { folders, aside })
  if (state.tree === request.tree && changed.length + touched.length === 0) {
    await rename(checkedOut.index, request.index)
    return { isGitKept: isGitThere, isIndexKept: true }
  }
  const env = { GIT_INDEX_FILE: checkedOut.index, GIT_WORK_TREE: checkedOut.tree }
  await git.run(['read-tree', '--reset', '-u', `--index-output=${request.index}`, request.tree], { env })
  rmSync(checkedOut.index, { force: true })
  return { isGitKept: isGitThere, isIndexKept: false }
}

/** A folder cannot go from one whose names are as they were; where it seems so, something is mounted. */
const hasImpossible = (folders: ReadonlyMap<string, FolderState>): boolean =>
  [...folders].some(([path, how]) => path !== '' && how === 'lost' && folders.get(parentOf(path)) === 'kept')

/** The paths themselves, or the first folder above that is not of the tree. */
export function topsOf(
  excluded: readonly string[],
  folders: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const tops = excluded.map((name) => {
    let top = bytesOfName(name).toString('latin1')
    for (let above = parentOf(top); !folders.has(above); above = parentOf(top)) top = above
    return top
  })
  return new Set(tops)
}

interface Aside {
  /** Moves something away; what is not there need not be. */
  take(path: Buffer): Buffer | null
}

function createAside(folder: string): Aside {
  let count = 0
  return {
    take(path) {
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null
      if (count === 0) mkdirSync(folder, { recursive: true })
      const to = Buffer.from(join(folder, `${++count}`))
      renameSync(path, to)
      return to
    },
  }
}

/** Puts a new folder in the place of a touched one, with those of its folders that are still the same. */
function remake(
  root: string,
  path: string,
  { folders, aside }: { folders: ReadonlyMap<string, FolderState>; aside: Aside },
): void {
  const place = bytesBelow(root, path)
  const old = aside.take(place)
  if (old === null) return
  chmodSync(old, 0o700)
  mkdirSync(place)
  for (const [child, how] of folders) {
    if (child === '' || parentOf(child) !== path || how === 'lost') continue
    const name = child.slice(path === '' ? 0 : path.length + 1)
    renameSync(bytesBelow(old.toString('latin1'), name), bytesBelow(root, child))
  }
}
