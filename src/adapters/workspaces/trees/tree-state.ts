import { hash } from 'node:crypto'
import { lstatSync, readdirSync, utimesSync, type BigIntStats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { TreeId } from '../../../model/id.ts'
import { gitlinksOf, parseIndex, isAsRecorded, type IndexEntry } from '../objects/index-file.ts'
import { bytesBelow, parentOf, toByteString } from '../objects/names.ts'
import type { CheckedOut } from './check-out-tree.ts'

/**
 * The kernel's data on a tree when it was whole. Every change of the content, the mode, the links or the names of an
 * inode changes its ctime, which no program can set: an inode with the same data is unchanged.
 */
export interface TreeState {
  readonly tree: TreeId
  /** Names the content of the index, whose entries tell of the files. */
  readonly indexDigest: string
  /** The folders of the tree, parents first, as they were; the root has the empty name. */
  readonly folders: ReadonlyMap<string, string>
  /** Everything below the throw-away `.git`, as it was. */
  readonly gitFiles: ReadonlyMap<string, string>
  /** Every later change bears a later time than this. */
  readonly takenAtNs: bigint
}

export interface ReadIndex {
  readonly bytes: Buffer
  readonly entries: readonly IndexEntry[]
  readonly gitlinks: readonly string[]
}

/** Takes the state of a tree that nobody works in yet. */
export async function takeState(
  checkedOut: CheckedOut,
  { tree, index, clock }: { tree: TreeId; index: ReadIndex; clock: string },
): Promise<TreeState> {
  const root = toByteString(checkedOut.tree)
  const pause = createSlices()
  const folders = new Map<string, string>()
  for (const folder of foldersOf(index.entries)) {
    folders.set(folder, describeInode(lstatSync(bytesBelow(root, folder), { bigint: true })))
    await pause()
  }
  const gitFiles = describeAll(root, '.git')
  const indexDigest = digestOf(index.bytes)
  return { tree, indexDigest, folders, gitFiles, takenAtNs: await laterTime(clock) }
}

export async function readIndex(path: string, oidBytes: number): Promise<ReadIndex> {
  const bytes = await readFile(path)
  const entries = parseIndex(bytes, oidBytes)
  return { bytes, entries, gitlinks: gitlinksOf(bytes, entries) }
}

export const digestOf = (bytes: Buffer): string => hash('sha256', bytes)

/** Everything that tells one state of an inode from another. */
const describeInode = ({ dev, ino, mode, uid, gid, ctimeNs }: BigIntStats): string =>
  `${dev} ${ino} ${mode} ${uid} ${gid} ${ctimeNs}`

/** A path and everything below it; nothing when it is not there. */
function describeAll(root: string, path: string): Map<string, string> {
  const found = new Map<string, string>()
  const stat = lstatSync(bytesBelow(root, path), { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return found
  found.set(path, describeInode(stat))
  if (!stat.isDirectory()) return found
  for (const name of readdirSync(bytesBelow(root, path), 'buffer'))
    for (const [below, inode] of describeAll(root, `${path}/${name.toString('latin1')}`))
      found.set(below, inode)
  return found
}

/** The folders that hold files, parents first. */
export function foldersOf(entries: readonly IndexEntry[]): readonly string[] {
  const found = new Set([''])
  const add = (folder: string): void => {
    if (found.has(folder)) return
    add(parentOf(folder))
    found.add(folder)
  }
  for (const { path } of entries) add(parentOf(path))
  return [...found]
}

/**
 * A time of the file system's clock that lies after everything so far. The clock stands still for some milliseconds,
 * and a change within one tick could not be seen.
 */
async function laterTime(clock: string): Promise<bigint> {
  const first = touch(clock)
  for (;;) {
    const time = touch(clock)
    if (time > first) return time
    await delay(1)
  }
}

function touch(path: string): bigint {
  const now = Date.now() / 1000
  utimesSync(path, now, now)
  return lstatSync(path, { bigint: true }).ctimeNs
}

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

const SLICE_MS = 5

/** Lets others have their turn, whenever synchronous work has gone on for a few milliseconds. */
export function createSlices(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < SLICE_MS) return undefined
    return nextTurn().then(() => {
      startedAt = performance.now()
    })
  }
}
