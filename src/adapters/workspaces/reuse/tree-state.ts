import { hash } from 'node:crypto'
import { lstatSync, readdirSync, utimesSync, type BigIntStats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { TreeId } from '../../../model/id.ts'
import { gitlinksOf, parseIndex, type IndexEntry } from '../git/index-file.ts'
import { bytesBelow, parentOf, toByteString } from './byte-path.ts'
import type { CheckedOut } from '../working-tree/check-out.ts'
import { createSlices } from './slices.ts'

/**
 * What the kernel said of a tree when it was whole. Whoever changes the content, the mode, the links or the names of
 * an inode changes its ctime, which no program can set: what is as it was then is what it was then.
 */
export interface TreeState {
  readonly tree: TreeId
  /** Names the content of the index, whose entries tell of the files. */
  readonly indexDigest: string
  /** The folders of the tree, parents first, as they were; the root has the empty name. */
  readonly folders: ReadonlyMap<string, string>
  /** Everything below the throw-away `.git`, as it was. */
  readonly gitFiles: ReadonlyMap<string, string>
  /** What happens after the state was taken bears a later time than this. */
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
export const describeInode = ({ dev, ino, mode, uid, gid, ctimeNs }: BigIntStats): string =>
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
function foldersOf(entries: readonly IndexEntry[]): readonly string[] {
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
 * A time of the file system's clock that everything so far lies before: it stands still for some milliseconds, and a
 * change within one tick could not be seen.
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
