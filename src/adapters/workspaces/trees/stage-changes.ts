import { constants } from 'node:fs'
import { chmod, lstat, open, readlink } from 'node:fs/promises'
import type { RefusedPath } from '../../../model/proof/patch.ts'
import { Fault } from '../../../model/fault.ts'
import { TreeId } from '../../../model/id.ts'
import type { Git } from '../objects/git.ts'
import { joinNul, nameOfBytes, isPlainPath } from '../objects/names.ts'
import type { TreeEntry } from '../objects/object-reader.ts'
import { withTemporaryIndex, copyIndex } from '../objects/temporary-index.ts'
import { editTree, writeObject } from '../objects/write-objects.ts'
import type { GitRepository } from '../objects/repository.ts'
import type { CheckedOut } from './check-out-tree.ts'
import type { FoundChange } from './find-tree-changes.ts'
import { pastPipes } from '../objects/past-pipes.ts'

interface Staged {
  readonly tree: TreeId
  /** Paths that git itself would not take. */
  readonly unstaged: readonly RefusedPath[]
}

/** The tree that was checked out, with these changes from the disk. */
export async function stageChanges(
  repository: GitRepository,
  { checkedOut, tree }: { checkedOut: CheckedOut; tree: TreeId },
  changes: readonly FoundChange[],
): Promise<Staged> {
  if (changes.length === 0) return { tree, unstaged: [] }
  for (const { path, unreadableMode } of changes) {
    if (unreadableMode !== null) await chmod(pathIn(checkedOut, path), unreadableMode | 0o600)
  }
  if (!changes.every(({ path }) => isPlainPath(path.toString('latin1'))))
    return stageByIndex(repository, checkedOut, changes)
  const edits = new Map<string, TreeEntry | null>()
  for (const { path, kind } of changes) {
    const entry = kind === 'put' ? await writeBlob(repository, pathIn(checkedOut, path)) : null
    edits.set(path.toString('latin1'), entry)
  }
  return { tree: await editTree(repository, tree, edits), unstaged: [] }
}

const pathIn = ({ tree }: CheckedOut, path: Buffer): Buffer => Buffer.concat([Buffer.from(`${tree}/`), path])

async function writeBlob({ owned, oidBytes }: GitRepository, path: Buffer): Promise<TreeEntry> {
  const stat = await lstat(path)
  const bytes = stat.isSymbolicLink() ? await readlink(path, 'buffer') : await readRegular(path)
  const mode = stat.isSymbolicLink() ? '120000' : (stat.mode & 0o100) === 0 ? '100644' : '100755'
  return { mode, oid: await writeObject(owned, oidBytes, { type: 'blob', bytes }) }
}

async function readRegular(path: Buffer): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Lets git take the paths into a copy of the warm index. */
function stageByIndex(
  repository: GitRepository,
  checkedOut: CheckedOut,
  changes: readonly FoundChange[],
): Promise<Staged> {
  return withTemporaryIndex(repository, async (index) => {
    const target = { git: repository.owned, env: { ...index, GIT_WORK_TREE: checkedOut.tree } }
    await copyIndex(checkedOut.index, index.GIT_INDEX_FILE)
    const pathsOf = (wanted: FoundChange['kind']): Buffer[] =>
      changes.filter(({ kind }) => kind === wanted).map(({ path }) => path)
    // Removals first, so that a folder can take the place of a file.
    await updateIndex(target, ['--force-remove'], pathsOf('remove'))
    const unstaged = await putPaths(target, pathsOf('put'))
    return { tree: TreeId.parse(await target.git.text(['write-tree'], { env: target.env })), unstaged }
  })
}

interface StageTarget {
  readonly git: Git
  readonly env: Readonly<Record<string, string>>
}

async function putPaths(target: StageTarget, paths: readonly Buffer[]): Promise<RefusedPath[]> {
  if (paths.length === 0) return []
  try {
    const { stderr } = await updateIndex(target, ['--add', '--remove', '--replace'], paths)
    if (!stderr.includes('Ignoring path')) return []
    // git only says so, and ends well.
    throw new Fault('git_failed', stderr.trim())
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'git_failed') throw error
    const [only] = paths
    if (paths.length === 1 && only !== undefined) return [{ path: nameOfBytes(only), reason: error.message }]
    // git takes all of a list or nothing: halving finds the paths that it does not take.
    const middle = Math.ceil(paths.length / 2)
    const first = await putPaths(target, paths.slice(0, middle))
    return [...first, ...(await putPaths(target, paths.slice(middle)))]
  }
}

const updateIndex = ({ git, env }: StageTarget, options: readonly string[], paths: readonly Buffer[]) =>
  pastPipes(
    { tree: env['GIT_WORK_TREE'] ?? '', of: 'ours' },
    git.run(['update-index', '-z', ...options, '--stdin'], { env, stdin: joinNul(paths) }),
  )
