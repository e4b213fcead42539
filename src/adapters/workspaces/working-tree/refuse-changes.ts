import { lstat, readdir } from 'node:fs/promises'
import type { RefusedPath } from '../../../model/proof/patch.ts'
import { isDotGitPath } from '../git/dot-git.ts'
import { hasCode } from '../git/files.ts'
import { bytesOfName, nameOfBytes } from '../git/names.ts'
import type { FoundChange } from './find-changes.ts'

export interface Judged {
  readonly accepted: readonly FoundChange[]
  readonly refused: readonly RefusedPath[]
}

export interface CaptureLimits {
  readonly maxBytes: number
  readonly maxFiles: number
}

export const captureLimits: CaptureLimits = { maxBytes: 64 * 1024 * 1024, maxFiles: 20_000 }

/** Divides what was found into what may reach a tree and what never may, before any of it is staged. */
export async function judgeChanges(
  folder: string,
  changes: readonly FoundChange[],
  limits: CaptureLimits = captureLimits,
): Promise<Judged> {
  const refused = new Map<string, string>()
  const findNested = nestedRepositoryFinder(folder)
  const accepted: FoundChange[] = []
  for (const change of changes) {
    const nested = change.kind === 'put' ? await findNested(change.path) : null
    if (change.kind === 'nested') refused.set(nameOfBytes(change.path), NESTED)
    else if (nested !== null) refused.set(nested, NESTED)
    else if (change.kind === 'put' && isDotGitPath(change.path))
      refused.set(nameOfBytes(change.path), DOT_GIT)
    else accepted.push(change)
  }
  const fitting = keepWithin(accepted, limits)
  for (const { path } of fitting.over.slice(0, NAMED)) refused.set(nameOfBytes(path), FLOOD)
  if (fitting.over.length > NAMED) refused.set(`(${fitting.over.length - NAMED} more paths)`, FLOOD)
  return { accepted: fitting.within, refused: [...refused].map(([path, reason]) => ({ path, reason })) }
}

const NESTED = 'a repository inside the repository'
const DOT_GIT = 'git could read a part of this path as .git'
const FLOOD = 'the change is larger than a patch may be'
const SUBMODULE = 'a submodule was changed'
/** So many refused paths are listed by name. */
const NAMED = 100

/** Small files first, so that one huge file does not hide the rest; removals always fit. */
function keepWithin(changes: readonly FoundChange[], { maxBytes, maxFiles }: CaptureLimits) {
  const within: FoundChange[] = []
  const over: FoundChange[] = []
  let bytes = 0
  for (const change of changes.toSorted((a, b) => a.bytes - b.bytes)) {
    bytes += change.bytes
    const isOver = change.kind === 'put' && (bytes > maxBytes || within.length >= maxFiles)
    ;(isOver ? over : within).push(change)
  }
  return { within, over }
}

/** Finds the folder above a path, below the root, that holds a `.git`; asks the disk once per folder. */
function nestedRepositoryFinder(root: string): (path: Buffer) => Promise<string | null> {
  const known = new Map<string, Promise<boolean>>()
  return async (path) => {
    for (let slash = path.indexOf(SLASH); slash !== -1; slash = path.indexOf(SLASH, slash + 1)) {
      const folder = path.subarray(0, slash)
      const key = folder.toString('latin1')
      const isNested =
        known.get(key) ?? isThere(Buffer.concat([Buffer.from(`${root}/`), folder, Buffer.from('/.git')]))
      known.set(key, isNested)
      if (await isNested) return `${nameOfBytes(folder)}/`
    }
    return null
  }
}

const SLASH = 0x2f

async function isThere(path: Buffer): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}

/** Submodules of the base that no longer are the empty folder that was checked out, or none at all. */
export async function refuseSubmodules(root: string, gitlinks: readonly string[]): Promise<RefusedPath[]> {
  const refused: RefusedPath[] = []
  for (const path of gitlinks) {
    const folder = Buffer.concat([Buffer.from(`${root}/`), bytesOfName(path)])
    try {
      if ((await readdir(folder)).length > 0) refused.push({ path, reason: SUBMODULE })
    } catch (error) {
      if (hasCode(error, 'ENOTDIR')) refused.push({ path, reason: SUBMODULE })
      else if (!hasCode(error, 'ENOENT')) throw error
    }
  }
  return refused
}
