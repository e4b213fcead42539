import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Patch, RefusedPath } from '../../../model/proof/patch.ts'
import { Fault } from '../../../model/fault.ts'
import type { TreeId } from '../../../model/id.ts'
import { hasCode, lstatIfThere } from '../objects/files.ts'
import { bytesOfName, isDotGitPath, nameOfBytes } from '../objects/names.ts'
import type { GitRepository } from '../objects/repository.ts'
import { findTraces, configOf } from './check-out-tree.ts'
import {
  findTreeChanges,
  findKnownChanges,
  type FoundChange,
  type SearchedTree,
} from './find-tree-changes.ts'
import type { IdleTree } from './idle-trees.ts'
import { stageChanges } from './stage-changes.ts'
import { readRecord, type WorkspaceLayout } from './workspace-folder.ts'

interface CaptureRequest {
  readonly layout: WorkspaceLayout
  readonly base: TreeId
  /** What this process knows of the tree since it checked it out, if it did. */
  readonly used: IdleTree['used'] | null
}

/** Makes a tree of what is on disk, through explicit paths only. */
export async function captureTree(
  repository: GitRepository,
  { layout, base, used }: CaptureRequest,
): Promise<Patch> {
  const record = await readRecord(layout.record)
  if (!record?.workspace) throw new Fault('not_found', `the workspace ${layout.folder} is not open`)
  const excluded = [...record.excluded, ...record.gitlinks].map(bytesOfName)
  const checkedOut = { tree: layout.tree, index: join(layout.folder, record.index) }
  const found = await findAll({ ...checkedOut, git: repository.owned }, used, repository.oidBytes)
  if (found === null) return { base_tree: base, tree: base, files: [], refused: [TOO_MANY] }
  const own = found.filter(({ path }) => !excluded.some((folder) => isAtOrBelow(path, folder)))
  const { accepted, refused } = await judgeChanges(layout.tree, own)
  const submodules = record.gitlinks.filter((path) => !record.excluded.includes(path))
  const { tree, unstaged } = await stageChanges(
    repository,
    { checkedOut, tree: record.workspace.tree },
    accepted,
  )
  const given = { head: record.head ?? '', config: configOf(repository.objectFormat) }
  const undone = record.head === undefined ? [] : await findTraces(layout.tree, given)
  return {
    base_tree: base,
    tree,
    files: await repository.diffs.files(base, tree),
    refused: [...refused, ...(await refuseSubmodules(layout.tree, submodules)), ...unstaged],
    ...(undone.length > 0 && { undone }),
  }
}

const TOO_MANY: RefusedPath = {
  path: '.',
  reason: 'the patch is too large: more paths were changed than can be listed',
  is_flood: true,
}

async function findAll(
  searched: SearchedTree,
  used: IdleTree['used'] | null,
  oidBytes: number,
): Promise<FoundChange[] | null> {
  const known = used && (await findKnownChanges(searched, { ...used, oidBytes }).catch(() => null))
  return known ?? findTreeChanges(searched)
}

function isAtOrBelow(path: Buffer, folder: Buffer): boolean {
  if (!path.subarray(0, folder.length).equals(folder)) return false
  return path.length === folder.length || path[folder.length] === 0x2f
}

interface Judged {
  readonly accepted: readonly FoundChange[]
  readonly refused: readonly RefusedPath[]
}

interface CaptureLimits {
  readonly maxBytes: number
  readonly maxFiles: number
}

const captureLimits: CaptureLimits = { maxBytes: 64 * 1024 * 1024, maxFiles: 20_000 }

/** Divides what was found into what may reach a tree and what never may, before any of it is staged. */
async function judgeChanges(
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
  const flood = { reason: sizeOf(accepted, limits), is_flood: true }
  const named = fitting.over.slice(0, NAMED).map(({ path }) => ({ path: nameOfBytes(path), ...flood }))
  const more = fitting.over.length - NAMED
  const floods = more > 0 ? [...named, { path: `(${more} more paths)`, ...flood }] : named
  return {
    accepted: fitting.within,
    refused: [...[...refused].map(([path, reason]) => ({ path, reason })), ...floods],
  }
}

/** How large a patch is, against what it may be. */
function sizeOf(changes: readonly FoundChange[], { maxBytes, maxFiles }: CaptureLimits): string {
  const puts = changes.filter(({ kind }) => kind === 'put')
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MB`
  const bytes = puts.reduce((sum, change) => sum + change.bytes, 0)
  const [is, mayBe] =
    bytes > maxBytes ? [megabytes(bytes), megabytes(maxBytes)] : [`${puts.length} files`, `${maxFiles} files`]
  return `the patch is too large: ${is}, and the limit is ${mayBe}`
}

const NESTED = 'a repository inside the repository'
const DOT_GIT = 'git could read a part of this path as .git'
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

const isThere = async (path: Buffer): Promise<boolean> => (await lstatIfThere(path)) !== null

/** Submodules of the base that no longer are the empty folder that was checked out, or none at all. */
async function refuseSubmodules(root: string, gitlinks: readonly string[]): Promise<RefusedPath[]> {
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
