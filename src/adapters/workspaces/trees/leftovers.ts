import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunOwner } from '../../process/run-mark.ts'
import { hasCode, namesIn, readIfThere, isOwnerAlive, readOwner } from '../objects/files.ts'
import { poolFolder } from './prepare.ts'
import {
  idleFolder,
  isWorkspaceId,
  RECORD,
  trashFolder,
  TREE,
  workspacesFolder,
  readRecord,
  discard,
  removeTree,
} from './workspace-folder.ts'

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

/**
 * Deletes what dead processes left: workspaces, trash, temporary indexes, unfinished pool entries.
 * Kept are those of sessions that can be resumed. Says what it deleted.
 */
export async function collectLeftovers(
  home: string,
  isAlive: (owner: RunOwner) => boolean = isOwnerAlive,
  isKept: (id: string) => boolean = () => false,
): Promise<readonly string[]> {
  const collected: string[] = []
  for (const { id, folder, owner } of await listWorkspaces(home)) {
    const isLeft = owner === null ? await isOlder(folder, UNSIGNED_MS) : !isAlive(owner)
    if (!isLeft || isKept(id)) continue
    await discard(home, folder)
    collected.push(folder)
  }
  collected.push(
    ...(await collectStale(trashFolder(home), () => true)),
    ...(await collectPool(home, isAlive)),
  )
  const repositories = join(home, 'repositories')
  for (const key of await namesIn(repositories)) {
    collected.push(...(await collectStale(join(repositories, key), (name) => name.startsWith('git.'))))
    collected.push(...(await collectStale(join(repositories, key, 'indexes'), () => true)))
    const notes = join(repositories, key, 'git', 'refs', 'notes')
    collected.push(...(await collectStale(notes, (name) => name.startsWith('building-'))))
  }
  return collected
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

async function isOlder(path: string, ageMs: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ageMs
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
