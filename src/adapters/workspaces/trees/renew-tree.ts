import { chmodSync, lstatSync, mkdirSync, renameSync, unlinkSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TreeId } from '../../../model/id.ts'
import { bytesOfName, bytesBelow, parentOf, toByteString } from '../objects/names.ts'
import type { GitRepository } from '../objects/repository.ts'
import type { CheckedOut } from './check-out-tree.ts'
import { fillTree } from './fill-tree.ts'
import {
  compareFiles,
  compareFolders,
  isGitAsItWas,
  digestOf,
  readIndex,
  type FolderState,
  type ReadIndex,
  type TreeState,
} from './tree-state.ts'
import { pastPipes } from '../objects/past-pipes.ts'

export interface UsedTree {
  readonly checkedOut: CheckedOut
  readonly state: TreeState
  /** Shared and set-up paths in it. */
  readonly excluded: readonly string[]
}

interface RenewRequest {
  readonly tree: TreeId
  /** Where the index of the renewed tree is to be. */
  readonly index: string
  /** A folder that gets what has to go; it is made when something has to. */
  readonly aside: string
}

export interface Renewed {
  readonly index: ReadIndex
  readonly isIndexKept: boolean
  /** Whether the throw-away `.git` is there as it was; else there is none. */
  readonly isGitKept: boolean
}

/**
 * Makes a used tree hold exactly another one. Only inodes that nobody touched since they were checked out stay;
 * everything else is moved away first, and then the missing and changed files are written. Null when the tree cannot be
 * trusted; it is then in no particular state.
 */
export async function renewTree(
  repository: GitRepository,
  used: UsedTree,
  request: RenewRequest,
): Promise<Renewed | null> {
  const { checkedOut, state } = used
  const index = await readIndex(checkedOut.index, repository.oidBytes)
  if (digestOf(index.bytes) !== state.indexDigest || index.gitlinks.length > 0) return null
  const folders = await compareFolders(checkedOut.tree, state)
  if (folders.get('') === 'lost' || hasImpossible(folders)) return null
  const cleared = await clearTree(used, { index, folders, aside: createAside(request.aside) })
  if (state.tree === request.tree && cleared.missing.size + cleared.touched.size === 0) {
    await rename(checkedOut.index, request.index)
    return { index, isIndexKept: true, isGitKept: cleared.isGitKept }
  }
  const filled = await fillTree(repository.objects, {
    root: toByteString(checkedOut.tree),
    from: state.tree,
    to: request.tree,
    index,
    isMissing: (path) => cleared.missing.has(path) || folders.get(parentOf(path)) !== 'kept',
    oidBytes: repository.oidBytes,
  })
  if (filled === null) await readTree(repository, checkedOut, request)
  else await writeFile(request.index, filled.bytes)
  await rm(checkedOut.index, { force: true })
  return {
    index: filled ?? (await readIndex(request.index, repository.oidBytes)),
    isIndexKept: false,
    isGitKept: cleared.isGitKept,
  }
}

/** Lets git write whatever is missing or differs. */
async function readTree(
  { owned }: GitRepository,
  { tree, index }: CheckedOut,
  request: RenewRequest,
): Promise<void> {
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: tree }
  await pastPipes(
    { tree: env.GIT_WORK_TREE, of: 'ours' },
    owned.run(['read-tree', '--reset', '-u', `--index-output=${request.index}`, request.tree], { env }),
  )
}

interface Cleared {
  /** Files that were taken out of folders that stay. */
  readonly missing: ReadonlySet<string>
  /** Folders that were made anew, without their files. */
  readonly touched: ReadonlySet<string>
  readonly isGitKept: boolean
}

/** Takes away everything that is not, for certain, as it was checked out. */
async function clearTree(
  { checkedOut, state, excluded }: UsedTree,
  { index, folders, aside }: { index: ReadIndex; folders: ReadonlyMap<string, FolderState>; aside: Aside },
): Promise<Cleared> {
  const isGitKept = isGitAsItWas(checkedOut.tree, state) && folders.get('') === 'kept'
  const changed = await compareFiles(checkedOut.tree, { state, index }, (at) => folders.get(at) === 'kept')
  const root = toByteString(checkedOut.tree)
  if (!isGitKept) aside.take(bytesBelow(root, '.git'))
  for (const path of topsOf(excluded, state.folders))
    // A lost folder may hide anything, even files that are not ours; it goes with the folder above.
    if (folders.get(parentOf(path)) !== 'lost') aside.take(bytesBelow(root, path))
  for (const { path } of changed) unlinkSync(bytesBelow(root, path))
  const touched = [...folders].filter(([, how]) => how === 'touched').map(([path]) => path)
  for (const path of touched) remake(root, path, { folders, aside })
  return { missing: new Set(changed.map(({ path }) => path)), touched: new Set(touched), isGitKept }
}

/** A folder cannot vanish from a parent whose names are unchanged; where it seems so, something is mounted. */
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
