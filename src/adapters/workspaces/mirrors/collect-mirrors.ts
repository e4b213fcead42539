import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn, withLock } from '../objects/files.ts'
import { createGit, findGit, type Environment } from '../objects/git.ts'
import { mirrorsFolder, removeMirror, usedFile } from './mirrors.ts'

export interface CollectMirrorsRequest {
  readonly home: string
  readonly env: Environment
  /** How much all of them may take together. */
  readonly budgetBytes: number
  /** Whether something that is not over yet works in a mirror. */
  readonly isNeeded: (root: string) => Promise<boolean>
  /** Whether all that sessions have made is also among the artifacts, and every mirror gets it from there. */
  readonly isKeptElsewhere: boolean
  /** One that was used within this time stays. */
  readonly restMs?: number
}

const dayMs = 24 * 60 * 60_000
const hourMs = 60 * 60_000

/**
 * Removes the mirrors that were used least lately until the others fit, and returns their names. A mirror that alone
 * has something, such as a branch that nobody pushed yet, is never removed.
 */
export async function collectMirrors(request: CollectMirrorsRequest): Promise<readonly string[]> {
  const { home, budgetBytes, restMs = hourMs } = request
  const folder = mirrorsFolder(home)
  const names = await namesIn(folder)
  await removeHalves(folder, names)
  const mirrors = await Promise.all(names.filter(isMirror).map((name) => look(join(folder, name))))
  let total = mirrors.reduce((sum, { bytes }) => sum + bytes, 0)
  const removed: string[] = []
  for (const { root, bytes, usedMs } of mirrors.toSorted((a, b) => a.usedMs - b.usedMs)) {
    if (total <= budgetBytes) break
    if (Date.now() - usedMs < restMs) continue
    const isRemoved = await withLock({ home, path: `${root}.lock`, waitMs: 0 }, () =>
      removeUnneeded(root, request),
    ).catch(() => false)
    if (!isRemoved) continue
    removed.push(root)
    total -= bytes
  }
  return removed
}

const isMirror = (name: string): boolean => /-[0-9a-f]{16}$/.test(name)

/** Leftovers of processes that were killed while they made or removed a mirror. */
async function removeHalves(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter((one) => /\.(new|old)$/.test(one))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found && Date.now() - found.mtimeMs > dayMs) await rm(path, { recursive: true, force: true })
  }
}

async function removeUnneeded(root: string, request: CollectMirrorsRequest): Promise<boolean> {
  const { env, isNeeded, isKeptElsewhere, restMs = hourMs } = request
  if (await isNeeded(root)) return false
  if (!isKeptElsewhere && (await hasOwnCommits(root, env))) return false
  // Somebody may have come for it since all were measured, which takes its time; from now on they wait for the lock.
  if (Date.now() - (await usedMsOf(root)) < restMs) return false
  await removeMirror(root)
  return true
}

/** Whether a branch holds commits that the other side has on none of its own. */
export async function hasOwnCommits(root: string, env: Environment): Promise<boolean> {
  const git = createGit({ program: findGit(env), gitDir: join(root, '.git'), env })
  const own = await git.text(['rev-list', '--max-count=1', '--branches', '--not', '--remotes'])
  return own !== ''
}

interface Looked {
  readonly root: string
  readonly bytes: number
  readonly usedMs: number
}

async function look(root: string): Promise<Looked> {
  return { root, bytes: await sizeOf(root), usedMs: await usedMsOf(root) }
}

const usedMsOf = async (root: string): Promise<number> =>
  (await stat(usedFile(root)).catch(() => null))?.mtimeMs ?? 0

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  let bytes = 0
  for (const entry of entries)
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0
  return bytes
}
