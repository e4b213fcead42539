import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import type { TreeId } from '../../../model/id.ts'
import { hasCode } from '../objects/files.ts'
import {
  entryAt,
  isPlainIndex,
  buildIndex,
  type IndexEntry,
  type WrittenFile,
} from '../objects/index-file.ts'
import { isPlainPath, bytesBelow, parentOf } from '../objects/names.ts'
import {
  listDifferences,
  type Difference,
  type ObjectReader,
  type TreeEntry,
} from '../objects/object-reader.ts'
import { SYMLINK } from '../objects/raw-diff.ts'
import { createSlices, type ReadIndex } from './tree-state.ts'

interface FillRequest {
  /** The root of the tree, a character per byte. */
  readonly root: string
  readonly from: TreeId
  readonly to: TreeId
  readonly index: ReadIndex
  /** Which files of the index are not on disk; all others are what it says. */
  readonly isMissing: (path: string) => boolean
  readonly oidBytes: number
}

/** Git is quicker above this number. */
const MOST_FILES = 1000

/** Writes the files that are missing or differ, and returns the index of the result; null, with nothing done, when git should do it. */
export async function fillTree(objects: ObjectReader, request: FillRequest): Promise<ReadIndex | null> {
  const plan = await planFilling(objects, request)
  if (plan === null) return null
  const { root, index, oidBytes } = request
  const pause = createSlices()
  for (const path of plan.removed) unlinkSync(bytesBelow(root, path))
  for (const path of plan.removed) removeEmpty(root, parentOf(path))
  const written: WrittenFile[] = []
  for (const [path, entry] of [...plan.written].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    written.push(await writeEntry(objects, { root, path, entry, isThere: plan.overwritten.has(path) }))
    await pause()
  }
  return { ...buildIndex({ bytes: index.bytes, kept: plan.kept }, written, oidBytes), gitlinks: [] }
}

interface Filling {
  readonly kept: readonly IndexEntry[]
  readonly removed: readonly string[]
  readonly written: ReadonlyMap<string, TreeEntry>
  /** Those written files that only get other bytes: making a file anew takes longer than all the rest. */
  readonly overwritten: ReadonlySet<string>
}

async function planFilling(objects: ObjectReader, request: FillRequest): Promise<Filling | null> {
  const { index, from, to, isMissing, oidBytes } = request
  const found = await listDifferences(objects, from, to)
  const differences = new Map(found.map((difference) => [difference.path, difference]))
  if (!isPlainIndex(index.bytes) || found.some(({ path, before }) => before === null && !isPlainPath(path)))
    return null
  const kept: IndexEntry[] = []
  const removed: string[] = []
  const written = new Map<string, TreeEntry>()
  const overwritten = new Set<string>()
  for (const entry of index.entries) {
    const isThere = !isMissing(entry.path)
    const difference = differences.get(entry.path)
    if (difference) {
      if (isThere && hasOtherBytesOnly(difference)) overwritten.add(entry.path)
      else if (isThere) removed.push(entry.path)
    } else if (isThere) kept.push(entry)
    else written.set(entry.path, entryAt(index.bytes, entry, oidBytes))
  }
  for (const { path, after } of found) if (after) written.set(path, after)
  const isForGit =
    written.size > MOST_FILES || [...written.values()].some(({ mode }) => !MODES.includes(mode))
  return isForGit ? null : { kept, removed, written, overwritten }
}

const hasOtherBytesOnly = ({ before, after }: Difference): boolean =>
  before !== null && before.mode === after?.mode && after.mode !== SYMLINK

const EXECUTABLE = '100755'
const MODES = ['100644', EXECUTABLE, SYMLINK]

/** Removes folders that hold nothing any more, as git does. */
function removeEmpty(root: string, folder: string): void {
  try {
    for (let path = folder; path !== ''; path = parentOf(path)) rmdirSync(bytesBelow(root, path))
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'ENOENT')) throw error
  }
}

async function writeEntry(
  objects: ObjectReader,
  { root, path, entry, isThere }: { root: string; path: string; entry: TreeEntry; isThere: boolean },
): Promise<WrittenFile> {
  const place = bytesBelow(root, path)
  const bytes = await objects.blob(entry.oid)
  if (!isThere) mkdirSync(bytesBelow(root, parentOf(path)), { recursive: true })
  if (entry.mode === SYMLINK) symlinkSync(bytes, place)
  else {
    const file = openSync(place, isThere ? OVERWRITE : CREATE, entry.mode === EXECUTABLE ? 0o777 : 0o666)
    try {
      writeFileSync(file, bytes)
    } finally {
      closeSync(file)
    }
  }
  return { path, ...entry, stat: lstatSync(place, { bigint: true }) }
}

/** Only where nothing is, and through no link. */
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const OVERWRITE = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW
