import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { removeTree } from '../process/leftovers/remove-tree.ts'
import { findDeadNames, isOwnerAlive, type RunOwner } from '../process/run-mark.ts'
import { isOlder, namesIn, readIfThere, readOwner } from './objects/files.ts'
import { temporaryIndexes } from './objects/temporary-index.ts'
import { BUILDING } from './refs/notes.ts'
import { collectKept } from './trees/kept-trees.ts'
import { poolFolder } from './trees/prepare.ts'
import {
  idleFolder,
  isWorkspaceId,
  RECORD,
  trashFolder,
  TREE,
  workspacesFolder,
  readRecord,
  discard,
} from './trees/workspace-folder.ts'

/** A workspace on disk, or the tree of one that its process keeps; without an owner when it is half made or half deleted. */
interface FoundWorkspace {
  readonly id: string
  readonly folder: string
  readonly path: string
  readonly owner: RunOwner | null
  readonly openedAtMs: number | null
}

/** No single step that works with a temporary thing takes as long as this. */
const STALE_MS = 60 * 60_000
/** Between making a workspace's folder and signing it lies one write. */
const UNSIGNED_MS = 60_000
const POOL_AGE_MS = 10 * 24 * 60 * 60_000

export async function listWorkspaces(home: string): Promise<FoundWorkspace[]> {
  const found: FoundWorkspace[] = []
  for (const parent of [workspacesFolder(home), idleFolder(home)]) {
    for (const id of (await namesIn(parent)).filter(isWorkspaceId)) {
      const folder = join(parent, id)
      const owner = await readOwner(join(folder, RECORD))
      const openedAtMs = (await readRecord(join(folder, RECORD)))?.opened_at_ms ?? null
      found.push({ id, folder, path: owner === null ? folder : join(folder, TREE), owner, openedAtMs })
    }
  }
  return found
}

/** Folders of workspaces whose process is dead. */
export async function listAbandoned(home: string): Promise<readonly string[]> {
  const found = await listWorkspaces(home)
  return found.filter(({ owner }) => owner !== null && !isOwnerAlive(owner)).map(({ folder }) => folder)
}

/**
 * Deletes the leftovers of dead processes: workspaces, trash, temporary indexes, unfinished pool entries. The
 * workspaces of sessions that can be resumed stay. Returns the deleted paths.
 */
export async function collectLeftovers(
  home: string,
  isAlive: (owner: RunOwner) => boolean = isOwnerAlive,
  isKept: (id: string) => Promise<boolean> = async () => false,
): Promise<readonly string[]> {
  const collected: string[] = []
  for (const { id, folder, owner } of await listWorkspaces(home)) {
    const isLeft = owner === null ? await isOlder(folder, UNSIGNED_MS) : !isAlive(owner)
    if (!isLeft || (await isKept(id))) continue
    await discard(home, folder)
    collected.push(folder)
  }
  collected.push(
    ...(await collectStale(trashFolder(home), () => true)),
    ...(await collectPool(home, isAlive)),
    ...(await collectKept(home)),
  )
  const repositories = join(home, 'repositories')
  for (const key of await namesIn(repositories)) {
    collected.push(...(await collectOfRepository(home, key)))
  }
  return collected
}

async function collectOfRepository(home: string, key: string): Promise<readonly string[]> {
  const folder = join(home, 'repositories', key)
  const indexes = temporaryIndexes(home, key)
  const notes = join(folder, 'git', 'refs', 'notes')
  const isNotes = (name: string): boolean => name.startsWith(BUILDING)
  return [
    ...(await collectStale(folder, (name) => name.startsWith('git.'))),
    ...(await collectDead(indexes, () => true)),
    ...(await collectStale(indexes, () => true)),
    ...(await collectDead(notes, isNotes)),
    ...(await collectStale(notes, isNotes)),
    ...(await collectUnfinishedCopies(join(folder, 'git'))),
  ]
}

/** Paths that are named after a dead process. */
async function collectDead(folder: string, isTemporary: (name: string) => boolean): Promise<string[]> {
  const names = (await namesIn(folder)).filter(isTemporary)
  const dead = findDeadNames(names.map((name) => name.replace(/\.lock$/, '')))
  const paths = names
    .filter((name) => dead.includes(name.replace(/\.lock$/, '')))
    .map((name) => join(folder, name))
  for (const path of paths) await removeTree(path)
  return paths
}

/** Folders in which git gathers objects before it moves them to their places, in the user's repository too. */
const UNFINISHED = /^tmp_objdir-/
/** A git command that still runs writes there all the time. */
const AT_REST_MS = 60_000

/** Leftovers of a git command that was killed. In the user's repository, only folders that hold nothing but our own objects. */
async function collectUnfinishedCopies(gitDir: string): Promise<readonly string[]> {
  const own = join(gitDir, 'objects')
  const alternates = (await readIfThere(join(own, 'info', 'alternates')))?.toString('utf8') ?? ''
  const [users = ''] = alternates.split('\n')
  const collected: string[] = []
  for (const objects of [own, ...(isAbsolute(users) ? [users] : [])]) {
    for (const name of (await namesIn(objects)).filter((one) => UNFINISHED.test(one))) {
      const path = join(objects, name)
      if (!(await isAtRest(path)) || (objects !== own && !(await holdsOnlyOurs(path, own)))) continue
      await removeTree(path)
      collected.push(path)
    }
  }
  return collected
}

async function isAtRest(folder: string): Promise<boolean> {
  for (const path of [folder, ...(await namesIn(folder)).map((name) => join(folder, name))])
    if (!(await isOlder(path, AT_REST_MS))) return false
  return true
}

/** Whether every whole object in it is also in our own store, and there is at least one. */
async function holdsOnlyOurs(folder: string, own: string): Promise<boolean> {
  let count = 0
  for (const part of await namesIn(folder)) {
    if (!/^[0-9a-f]{2}$/.test(part)) return false
    for (const name of await namesIn(join(folder, part))) {
      if (name.startsWith('tmp_obj_')) continue
      if (!existsSync(join(own, part, name))) return false
      count += 1
    }
  }
  return count > 0
}

/** Entries that no living process is making and that are unfinished, or have not been of use for long. */
async function collectPool(home: string, isAlive: (owner: RunOwner) => boolean): Promise<string[]> {
  const collected: string[] = []
  for (const name of await namesIn(poolFolder(home))) {
    const folder = join(poolFolder(home), name)
    const key = name.split('.', 1)[0] ?? name
    const owner = await readOwner(join(poolFolder(home), `${key}.lock`, 'owner.json'))
    if (owner !== null && isAlive(owner)) continue
    const isDone = (await readIfThere(join(folder, 'done.json'))) !== null
    const isLeft = isDone
      ? await isOlder(join(folder, 'done.json'), POOL_AGE_MS)
      : await isOlder(folder, UNSIGNED_MS)
    if (!isLeft) continue
    await discard(home, folder)
    collected.push(folder)
  }
  return collected
}

async function collectStale(folder: string, isTemporary: (name: string) => boolean): Promise<string[]> {
  const collected: string[] = []
  for (const name of (await namesIn(folder)).filter(isTemporary)) {
    const path = join(folder, name)
    if (!(await isOlder(path, STALE_MS))) continue
    await removeTree(path)
    collected.push(path)
  }
  return collected
}
