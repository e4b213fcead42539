import { randomUUID } from 'node:crypto'
import type { LimitFunction } from 'p-limit'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../../process/leftovers/remove-tree.ts'
import type { WorkspaceRequest } from '../../../loop/ports.ts'
import type { Workspace } from '../../../model/attempt/workspace.ts'
import { isInhabited } from '../../process/process-table.ts'
import { nameOfBytes } from '../objects/names.ts'
import type { GitRepository } from '../objects/repository.ts'
import { checkOutTree, refreshThrowAwayGit, writeThrowAwayGit } from './check-out-tree.ts'
import type { IdleTree } from './idle-trees.ts'
import { takeKeptTree } from './kept-trees.ts'
import type { Preparer } from './prepare.ts'
import { renewTree, type Renewed } from './renew-tree.ts'
import { readIndex, takeState } from './tree-state.ts'
import {
  layoutOf,
  RECORD,
  TREE,
  trashFolder,
  workspacesFolder,
  newRecord,
  readRecord,
  writeRecord,
  discard,
  type WorkspaceLayout,
  type WorkspaceRecord,
} from './workspace-folder.ts'

export interface Opened {
  readonly workspace: Workspace
  /** What must be known to use its tree again; null when that is not possible. */
  readonly used: IdleTree['used'] | null
}

interface OpenRequest {
  readonly request: WorkspaceRequest
  readonly takeIdle: () => IdleTree | null
  /** Limits how many trees are made at the same time: many at once would all be late. */
  readonly limit: LimitFunction
  /** Tells of it where making the files takes long. */
  readonly whileMade: <Made>(work: () => Promise<Made>) => Promise<Made>
}

interface Opening extends OpenRequest {
  readonly layout: WorkspaceLayout
  readonly record: WorkspaceRecord
}

/** Makes a workspace, out of an idle tree where there is one that can be trusted. One that fails leaves nothing. */
export async function openWorkspace(
  repository: GitRepository,
  prepare: Preparer | null,
  opening: OpenRequest,
): Promise<Opened> {
  const { home } = repository
  const layout = layoutOf(home, opening.request.id)
  const record = newRecord(home)
  try {
    return await makeWorkspace(repository, prepare, { ...opening, layout, record })
  } catch (error) {
    // Another process may have taken it away meanwhile, and may have opened it anew: that one is not touched.
    const found = await readRecord(layout.record)
    if (found === null || found.index === record.index)
      await discard(home, layout.folder).catch(() => undefined)
    throw error
  }
}

async function makeWorkspace(
  repository: GitRepository,
  prepare: Preparer | null,
  opening: Opening,
): Promise<Opened> {
  const { request, layout, record } = opening
  const { id, tree, head, isPlain = false } = request
  await mkdir(workspacesFolder(repository.home), { recursive: true })
  const renewed = await opening.whileMade(() => makeTree(repository, opening))
  const checkedOut = { tree: layout.tree, index: join(layout.folder, record.index) }
  const prepared = prepare === null || isPlain ? null : await prepare({ tree, head, checkedOut })
  const excluded = prepared?.excluded ?? []
  const isGitKept = renewed !== null && isSame(renewed.excluded, excluded) && renewed.isGitKept
  if (isGitKept) await refreshThrowAwayGit(checkedOut, { head, isIndexKept: renewed.isIndexKept })
  else await writeThrowAwayGit(repository, checkedOut, { head, excluded })
  const index = renewed?.index ?? (await readIndex(checkedOut.index, repository.oidBytes))
  const workspace: Workspace = {
    id,
    path: layout.tree,
    tree,
    ...(prepared && { preparation: prepared.preparation }),
  }
  const gitlinks = index.gitlinks.map((path) => nameOfBytes(Buffer.from(path, 'latin1')))
  await writeRecord(layout.record, { ...record, excluded, gitlinks, head, workspace })
  if (gitlinks.length > 0) return { workspace, used: null }
  const state = await takeState(checkedOut, { tree, index, clock: layout.record })
  return { workspace, used: { state, excluded, index: record.index } }
}

/** Uses an idle tree, even one that becomes free while this waits for its turn; otherwise makes a new tree and returns null. */
async function makeTree(repository: GitRepository, opening: Opening): Promise<Reused | null> {
  const renewed = await reuse(repository, opening)
  if (renewed !== null) return renewed
  return opening.limit(async () => {
    const renewedLater = (await reuse(repository, opening)) ?? (await takeKept(repository, opening))
    if (renewedLater === null) await makeAfresh(repository, opening)
    return renewedLater
  })
}

/** Signs the folder before it gets its place: a process that is killed at any point leaves nothing without an owner. */
async function makeAfresh(
  { owned, home }: GitRepository,
  { request, layout, record }: Opening,
): Promise<void> {
  const aside = join(trashFolder(home), randomUUID())
  await mkdir(aside, { recursive: true })
  await writeRecord(join(aside, RECORD), record)
  await rename(aside, layout.folder)
  await checkOutTree(owned, { tree: layout.tree, index: join(layout.folder, record.index) }, request.tree)
}

async function takeKept(
  repository: GitRepository,
  { request, layout, record }: Opening,
): Promise<Reused | null> {
  const index = await takeKeptTree(repository, { tree: request.tree, layout, record })
  return index && { index, isIndexKept: false, isGitKept: false, excluded: [] }
}

interface Reused extends Renewed {
  readonly excluded: readonly string[]
}

/** Makes the workspace out of an idle tree; null when there is none that can be used, whatever the reason. */
async function reuse(
  repository: GitRepository,
  { request, takeIdle, layout, record }: Opening,
): Promise<Reused | null> {
  const idle = takeIdle()
  if (idle === null) return null
  const { home } = repository
  const { folder, used } = idle
  const aside = join(trashFolder(home), randomUUID())
  try {
    const checkedOut = { tree: join(folder, TREE), index: join(folder, used.index) }
    const wanted = {
      tree: request.tree,
      index: join(folder, record.index),
      aside,
    }
    const isAlone = isInhabited(folder) === false
    const renewed = isAlone ? await renewTree(repository, { checkedOut, ...used }, wanted) : null
    if (renewed !== null) {
      await rename(folder, layout.folder)
      return { ...renewed, excluded: used.excluded }
    }
  } catch {
    // A failure here, such as a full disk, also fails for a new tree, and is reported then.
  } finally {
    removeLater(aside)
  }
  await discard(home, folder)
  return null
}

/** Deletes a folder without waiting; what cannot be deleted now is collected with the rest of the trash. */
function removeLater(folder: string): void {
  removeTree(folder).catch(() => undefined)
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path, at) => path === b[at])
