import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmdirSync, unlinkSync, type Stats } from 'node:fs'
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../../process/leftovers/remove-tree.ts'
import { isInhabited } from '../../process/process-table.ts'
import { isOlder, namesIn } from '../objects/files.ts'
import { bytesBelow, parentOf, splitNul, toByteString } from '../objects/names.ts'
import { pastPipes } from '../objects/past-pipes.ts'
import type { GitRepository } from '../objects/repository.ts'
import type { CheckedOut } from './check-out-tree.ts'
import { createSlices, foldersOf, readIndex, type ReadIndex } from './tree-state.ts'
import {
  discard,
  RECORD,
  trashFolder,
  TREE,
  writeRecord,
  type WorkspaceLayout,
  type WorkspaceRecord,
} from './workspace-folder.ts'

/**
 * Large trees that a process leaves for the next one, in a folder of their own. File systems are slow to make many files,
 * above all where as many were deleted a moment ago; reading them again takes a twentieth of that. Nothing that is left
 * is believed: whoever takes a tree compares the content of every file.
 */
export const keptTreesFolder = (home: string): string => join(home, 'kept')

/** Of one repository; the agent's and that of the checks. */
const mostKept = 2
const mostInHome = 4
const keptMs = 24 * 60 * 60_000
/** The index of about three thousand files: fewer are made again in no time. */
const leastIndexBytes = 256 * 1024

type Repository = Pick<GitRepository, 'home' | 'key' | 'owned' | 'oidBytes'>

/** Leaves the folder of a closed workspace to later processes; false when it is not worth it. */
export async function keepTree(repository: Repository, folder: string, index: string): Promise<boolean> {
  const { home, key } = repository
  if ((await stat(join(folder, index))).size < leastIndexBytes) return false
  const kept = join(keptTreesFolder(home), `${key}.${randomUUID()}`)
  // What was copied beside the tree's own files, such as packages, may be far more than these.
  const checkedOut = { tree: join(folder, TREE), index: join(folder, index) }
  if (!(await areFoldersOurs(checkedOut, repository.oidBytes))) return false
  await removeAll(await takeOthers(repository, checkedOut))
  await rm(checkedOut.index)
  await mkdir(keptTreesFolder(home), { recursive: true })
  const now = Date.now() / 1000
  await utimes(folder, now, now)
  await rename(folder, kept)
  const newest = await newestFirst(home)
  const ofRepository = newest.filter((name) => isOf(name, repository))
  for (const name of new Set([...ofRepository.slice(mostKept), ...newest.slice(mostInHome)]))
    await discard(home, join(keptTreesFolder(home), name))
  return true
}

const isOf = (name: string, { key }: Repository): boolean => name.startsWith(`${key}.`)

async function newestFirst(home: string): Promise<readonly string[]> {
  const names = await namesIn(keptTreesFolder(home))
  const times = await Promise.all(
    names.map((name) =>
      stat(join(keptTreesFolder(home), name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )
  return names
    .map((name, at) => ({ name, time: times[at] ?? 0 }))
    .toSorted((a, b) => b.time - a.time)
    .map(({ name }) => name)
}

/** Deletes what nobody took for a day. */
export async function collectKept(home: string): Promise<readonly string[]> {
  const collected: string[] = []
  for (const name of await namesIn(keptTreesFolder(home))) {
    const folder = join(keptTreesFolder(home), name)
    if (!(await isOlder(folder, keptMs))) continue
    await discard(home, folder)
    collected.push(folder)
  }
  return collected
}

interface TakeRequest {
  readonly tree: string
  readonly layout: WorkspaceLayout
  readonly record: WorkspaceRecord
}

/** Makes the workspace out of a tree that an earlier process left; null when there is none that can be used. */
export async function takeKeptTree(
  repository: GitRepository,
  { tree, layout, record }: TakeRequest,
): Promise<ReadIndex | null> {
  const { home } = repository
  for (const name of (await newestFirst(home)).filter((one) => isOf(one, repository))) {
    if (!(await claim(join(keptTreesFolder(home), name), { layout, record }))) continue
    try {
      const checkedOut = { tree: layout.tree, index: join(layout.folder, record.index) }
      const index = isInhabited(layout.folder) === false ? await fit(repository, checkedOut, tree) : null
      if (index !== null) return index
    } catch {
      // Whatever is wrong with it, a tree that is made anew does not have it.
    }
    await discard(home, layout.folder)
  }
  return null
}

/** One process gets it. It is signed before it moves, so that it never seems to be the leftover of a dead process. */
async function claim(kept: string, { layout, record }: Omit<TakeRequest, 'tree'>): Promise<boolean> {
  try {
    await writeRecord(join(kept, RECORD), record)
    await rename(kept, layout.folder)
  } catch {
    return false
  }
  await writeRecord(layout.record, record)
  return true
}

/** Brings a tree of which nothing is known to exactly what the revision holds; null when it cannot be trusted to stay so. */
async function fit(repository: Repository, checkedOut: CheckedOut, tree: string): Promise<ReadIndex | null> {
  const { owned, oidBytes } = repository
  const env = { GIT_INDEX_FILE: checkedOut.index, GIT_WORK_TREE: checkedOut.tree }
  const look = <Answer>(asked: Promise<Answer>) => pastPipes({ tree: checkedOut.tree, of: 'ours' }, asked)
  // An index that knows of no file on disk: each is compared by its content.
  await owned.run(['read-tree', tree], { env })
  const { entries, gitlinks } = await readIndex(checkedOut.index, oidBytes)
  // Git looks at nothing in the folder of a submodule.
  if (gitlinks.length > 0 || !(await areOfOurMaking(checkedOut.tree, entries))) return null
  await look(owned.run(['update-index', '-q', '--refresh'], { env, answers: [1] }))
  // Nobody waits until they are gone.
  removeAll(await takeOthers(repository, checkedOut)).catch(() => undefined)
  await look(owned.run(['-c', 'checkout.workers=0', 'read-tree', '--reset', '-u', tree], { env }))
  return readIndex(checkedOut.index, oidBytes)
}

/** Moves away what is not of the tree; gives back where to. */
async function takeOthers(
  { owned, home }: Repository,
  { tree, index }: CheckedOut,
): Promise<readonly string[]> {
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: tree }
  const listed = owned.run(['ls-files', '-o', '-z', '--directory'], { env })
  const { stdout } = await pastPipes({ tree, of: 'ours' }, listed)
  const taken: string[] = []
  const root = toByteString(tree)
  await mkdir(trashFolder(home), { recursive: true })
  for (const path of splitNul(stdout)) {
    const aside = join(trashFolder(home), randomUUID())
    await rename(bytesBelow(root, path.toString('latin1').replace(/\/$/, '')), aside)
    taken.push(aside)
  }
  return taken
}

const removeAll = async (folders: readonly string[]): Promise<void> => {
  for (const folder of folders) await removeTree(folder)
}

/** Whether no folder of the tree is something else by now: a link would lead out of it. */
async function areFoldersOurs({ tree, index }: CheckedOut, oidBytes: number): Promise<boolean> {
  const root = toByteString(tree)
  const { entries } = await readIndex(index, oidBytes)
  return foldersOf(entries).every((path) => lookAt(bytesBelow(root, path))?.isDirectory() ?? true)
}

/**
 * Takes away files that have another name elsewhere, other rights than new ones or a time to come, which would hide
 * later changes from build tools, and each `.git`, which git lists in no folder. False where a folder is not one of ours.
 */
async function areOfOurMaking(folder: string, entries: ReadIndex['entries']): Promise<boolean> {
  const root = toByteString(folder)
  const pause = createSlices()
  const made = newBeside(folder)
  const there = new Set<string>()
  for (const path of foldersOf(entries)) {
    const found = lookAt(bytesBelow(root, path))
    if (found === null) continue
    if (!found.isDirectory()) return false
    if ((found.mode & 0o7777) !== made.folder) chmodSync(bytesBelow(root, path), made.folder)
    there.add(path)
    const git = bytesBelow(root, path === '' ? '.git' : `${path}/.git`)
    if (lookAt(git) !== null) await rm(git, { recursive: true })
    await pause()
  }
  for (const { path } of entries) {
    const found = there.has(parentOf(path)) ? lookAt(bytesBelow(root, path)) : null
    if (found !== null && !found.isDirectory() && !isLikeNew(found, made)) unlinkSync(bytesBelow(root, path))
    await pause()
  }
  return true
}

/** The rights, and the latest time, of what this process makes there. */
function newBeside(folder: string): { readonly folder: number; readonly file: number; readonly ms: number } {
  const made = `${folder}.new`
  mkdirSync(made)
  const { mode, mtimeMs } = lstatSync(made)
  rmdirSync(made)
  return { folder: mode & 0o7777, file: mode & 0o666, ms: mtimeMs }
}

const lookAt = (path: Buffer): Stats | null => lstatSync(path, { throwIfNoEntry: false }) ?? null

/** A program has the rights of a folder. */
const isLikeNew = (found: Stats, made: ReturnType<typeof newBeside>): boolean =>
  found.nlink === 1 &&
  found.mtimeMs <= made.ms &&
  (found.isSymbolicLink() ||
    (found.isFile() && [made.file, made.folder & 0o777].includes(found.mode & 0o7777)))
