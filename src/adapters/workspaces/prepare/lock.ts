import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../../../model/fault.ts'
import { hasCode, replaceFile } from '../git/files.ts'
import { isOwnerAlive, readOwner, signature } from '../working-tree/owner.ts'

const PAUSE_MS = 100
/** A lock without a readable owner is one that is just being taken, or that its taker died with. */
const UNSIGNED_MS = 10_000

/** Runs `use` while no other process holds the same lock; a lock whose owner died is taken over. */
export async function withLock<T>(
  { home, path, waitMs }: { home: string; path: string; waitMs: number },
  use: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + waitMs
  while (!(await take(home, path))) {
    if (performance.now() > deadline) throw new Fault('busy', `another process still holds ${path}`)
    await delay(PAUSE_MS)
  }
  try {
    return await use()
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

async function take(home: string, path: string): Promise<boolean> {
  try {
    await mkdir(path)
    await replaceFile(join(path, 'owner.json'), JSON.stringify(signature(home)))
    return true
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  if (await isStale(path)) await takeAway(path)
  return false
}

async function isStale(path: string): Promise<boolean> {
  const owner = await readOwner(join(path, 'owner.json'))
  if (owner !== null) return !isOwnerAlive(owner)
  try {
    return Date.now() - (await stat(path)).mtimeMs > UNSIGNED_MS
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

/** Renamed first: of several that find the lock stale, only one takes it away. */
async function takeAway(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  await rm(aside, { recursive: true, force: true })
}
