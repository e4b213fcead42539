import { join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import type { TreeId } from '../../../model/id.ts'
import type { Patch, RefusedPath } from '../../../model/proof/patch.ts'
import { bytesOfName } from '../git/names.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { findChanges, type FoundChange, type SearchedTree } from './find-changes.ts'
import { findKnownChanges } from './find-known-changes.ts'
import { findTraces } from './find-traces.ts'
import type { IdleTree } from '../reuse/idle-trees.ts'
import type { WorkspaceLayout } from './layout.ts'
import { readRecord } from './record.ts'
import { judgeChanges, refuseSubmodules } from './refuse-changes.ts'
import { stageChanges } from './stage-changes.ts'
import { configOf } from './throw-away-git.ts'

export interface CaptureRequest {
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

const TOO_MANY: RefusedPath = { path: '.', reason: 'more paths were changed than can be listed' }

async function findAll(
  searched: SearchedTree,
  used: IdleTree['used'] | null,
  oidBytes: number,
): Promise<FoundChange[] | null> {
  const known = used && (await findKnownChanges(searched, { ...used, oidBytes }).catch(() => null))
  return known ?? findChanges(searched)
}

function isAtOrBelow(path: Buffer, folder: Buffer): boolean {
  if (!path.subarray(0, folder.length).equals(folder)) return false
  return path.length === folder.length || path[folder.length] === 0x2f
}
