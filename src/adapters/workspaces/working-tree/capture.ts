import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { TreeId } from '../../../model/id.ts'
import type { Patch, RefusedPath } from '../../../model/patch.ts'
import type { Git } from '../git/git.ts'
import { bytesOfName, joinNul, nameOfBytes } from '../git/names.ts'
import { withTemporaryIndex } from '../objects/temporary-index.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { copyIndex } from './copy-index.ts'
import { findChanges, type FoundChange } from './find-changes.ts'
import type { WorkspaceLayout } from './layout.ts'
import { listPatchFiles } from './patch-files.ts'
import { readRecord } from './record.ts'
import { judgeChanges, refuseSubmodules } from './refuse-changes.ts'

type IndexEnvironment = Readonly<Record<string, string>>

/** Makes a tree of what is on disk, through a copy of the warm index and explicit paths only. */
export async function captureTree(
  repository: GitRepository,
  layout: WorkspaceLayout,
  base: TreeId,
): Promise<Patch> {
  const record = await readRecord(layout.record)
  if (record === null) throw new Fault('not_found', `the workspace ${layout.folder} is not open`)
  const { owned } = repository
  const excluded = [...record.excluded, ...record.gitlinks].map(bytesOfName)
  return withTemporaryIndex(repository, async (index) => {
    const env = { ...index, GIT_WORK_TREE: layout.tree }
    await copyIndex(join(layout.folder, record.index), index.GIT_INDEX_FILE)
    const found = await findChanges(owned, layout.tree, env)
    if (found === null) return { base_tree: base, tree: base, files: [], refused: [TOO_MANY] }
    const own = found.filter(({ path }) => !excluded.some((folder) => isAtOrBelow(path, folder)))
    const { accepted, refused } = await judgeChanges(layout.tree, own)
    const submodules = record.gitlinks.filter((path) => !record.excluded.includes(path))
    const unstaged = await stage(owned, { folder: layout.tree, env }, accepted)
    const tree = TreeId.parse(await owned.text(['write-tree'], { env }))
    return {
      base_tree: base,
      tree,
      files: await listPatchFiles(owned, base, tree),
      refused: [...refused, ...(await refuseSubmodules(layout.tree, submodules)), ...unstaged],
    }
  })
}

const TOO_MANY: RefusedPath = { path: '.', reason: 'more paths were changed than can be listed' }

function isAtOrBelow(path: Buffer, folder: Buffer): boolean {
  if (!path.subarray(0, folder.length).equals(folder)) return false
  return path.length === folder.length || path[folder.length] === 0x2f
}

interface StageTarget {
  readonly folder: string
  readonly env: IndexEnvironment
}

/** Removals first, so that a folder can take the place of a file; says which paths git itself would not take. */
async function stage(git: Git, target: StageTarget, changes: readonly FoundChange[]): Promise<RefusedPath[]> {
  const removed = changes.filter(({ kind }) => kind === 'remove').map(({ path }) => path)
  const put = changes.filter(({ kind }) => kind === 'put')
  for (const { path, unreadableMode } of put) {
    if (unreadableMode === null) continue
    await chmod(Buffer.concat([Buffer.from(`${target.folder}/`), path]), unreadableMode | 0o600)
  }
  if (removed.length > 0) await updateIndex(git, target, ['--force-remove'], removed)
  return putPaths(
    git,
    target,
    put.map(({ path }) => path),
  )
}

async function putPaths(git: Git, target: StageTarget, paths: readonly Buffer[]): Promise<RefusedPath[]> {
  if (paths.length === 0) return []
  try {
    const { stderr } = await updateIndex(git, target, ['--add', '--remove', '--replace'], paths)
    if (!stderr.includes('Ignoring path')) return []
    // git only says so, and ends well.
    throw new Fault('git_failed', stderr.trim())
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'git_failed') throw error
    const [only] = paths
    if (paths.length === 1 && only !== undefined) return [{ path: nameOfBytes(only), reason: error.message }]
    // git takes all of a list or nothing: halving finds the paths that it does not take.
    const middle = Math.ceil(paths.length / 2)
    const first = await putPaths(git, target, paths.slice(0, middle))
    return [...first, ...(await putPaths(git, target, paths.slice(middle)))]
  }
}

const updateIndex = (git: Git, { env }: StageTarget, options: readonly string[], paths: readonly Buffer[]) =>
  git.run(['update-index', '-z', ...options, '--stdin'], { env, stdin: joinNul(paths) })
