import { randomUUID } from 'node:crypto'
import { constants, readFileSync, type Stats } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { Fault } from '../../../model/fault.ts'
import { createRunMark, isOwnerAlive, parseRunMark, type RunOwner } from '../../process/run-mark.ts'

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)

/** Null also where a pipe or a device stands, which would have no end. */
export async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await file.stat()
    return found.isFile() || found.isDirectory() ? await file.readFile() : null
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

/** The same synchronously, for what other work must not interrupt. */
export function readNowIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

/** What stands at a path, links not followed. */
export async function lstatIfThere(path: string | Buffer): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

/** Whether nobody has written it for so long; false when it is not there. */
export async function isOlder(path: string, ageMs: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ageMs
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

/** What a folder holds; nothing when it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** Replaces a file in one step, so that a reader sees the old or the new content; null removes it. */
export async function replaceFile(path: string, content: string | Buffer | null): Promise<void> {
  if (content === null) return rm(path, { force: true })
  const current = await readIfThere(path)
  if (current?.equals(Buffer.from(content))) return
  const aside = `${path}.${randomUUID()}`
  await writeFile(aside, content)
  await rename(aside, path)
}

const Signed = z.object({ mark: z.string() })

/** Names this process, told apart from every later one with the same pid. */
export const signature = (home: string): z.infer<typeof Signed> => ({ mark: createRunMark(home) })

/** Who signed a JSON file; null when nobody did, or it cannot be read. */
export async function readOwner(path: string): Promise<RunOwner | null> {
  const signed = Signed.safeParse(await readJsonFile(path))
  return signed.success ? (parseRunMark(signed.data.mark)?.owner ?? null) : null
}

/** Null for a file that is not there or is not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  const content = await readIfThere(path)
  try {
    return content === null ? null : JSON.parse(content.toString('utf8'))
  } catch {
    return null // half-written by a process that died
  }
}

const PAUSE_MS = 100
/** A lock without a readable owner is just being taken, or its taker died. */
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
  return owner === null ? isOlder(path, UNSIGNED_MS) : !isOwnerAlive(owner)
}

/** Renames the lock first: of several processes that find it stale, only one takes it away. */
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
