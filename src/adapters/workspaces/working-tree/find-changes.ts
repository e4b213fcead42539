import { lstat } from 'node:fs/promises'
import type { Git } from '../git/git.ts'
import { hasCode } from '../git/files.ts'
import { splitNul } from '../git/names.ts'
import { parseRawDiff } from '../git/raw-diff.ts'
import type { CheckedOut } from './check-out.ts'
import { openFolders } from './remove.ts'

/** A path of the tree on disk that differs from the index. */
export interface FoundChange {
  readonly path: Buffer
  /** `nested`: a folder that git takes for a repository of its own. */
  readonly kind: 'put' | 'remove' | 'nested'
  readonly bytes: number
  /** Set for a file that its owner may not read. */
  readonly unreadableMode: number | null
}

/** A tree to look into, and the git that knows which names are ignored. */
export interface SearchedTree extends CheckedOut {
  readonly git: Git
}

const MAX_NAME_BYTES = 64 * 1024 * 1024

/** Everything that was added, changed or removed, without looking into submodules; null when there are too many names. */
export async function findChanges(searched: SearchedTree): Promise<FoundChange[] | null> {
  const list = async () => {
    const [tracked, untracked] = await Promise.all([askForTracked(searched), askForUntracked(searched)])
    return { tracked, untracked, stderr: tracked.stderr + untracked.stderr }
  }
  let listed = await list()
  if (/Permission denied/i.test(listed.stderr)) {
    await openFolders(Buffer.from(searched.tree))
    listed = await list()
  }
  if (listed.tracked.isCut || listed.untracked.isCut) return null
  const changes: FoundChange[] = []
  for (const { path, status } of parseRawDiff(listed.tracked.stdout)) {
    // A removed path may still be reachable, through a link that took the place of its folder.
    changes.push(status === 'D' ? gone(path) : ((await look(searched.tree, path)) ?? gone(path)))
  }
  return [...changes, ...(await lookAtUntracked(searched, listed.untracked.stdout))]
}

/** New names that git does not ignore; null when there are too many, or not all folders can be read. */
export async function listUntracked(searched: SearchedTree): Promise<FoundChange[] | null> {
  const { stdout, stderr, isCut } = await askForUntracked(searched)
  return isCut || /Permission denied/i.test(stderr) ? null : lookAtUntracked(searched, stdout)
}

const ask = ({ git, tree, index }: SearchedTree, args: readonly string[]) =>
  git.run(args, {
    env: { GIT_INDEX_FILE: index, GIT_WORK_TREE: tree },
    maxBytes: MAX_NAME_BYTES,
    overflow: 'cut',
  })

const askForTracked = (searched: SearchedTree) =>
  ask(searched, ['diff-files', '-z', '--raw', '--ignore-submodules=all'])

const askForUntracked = (searched: SearchedTree) =>
  ask(searched, ['ls-files', '-o', '-z', '--exclude-standard'])

async function lookAtUntracked({ tree }: SearchedTree, output: Buffer): Promise<FoundChange[]> {
  const changes: FoundChange[] = []
  for (const path of splitNul(output)) {
    if (path.at(-1) === SLASH) changes.push({ ...gone(path), kind: 'nested' })
    else changes.push(...[await look(tree, path)].filter((change) => change !== null))
  }
  return changes
}

const SLASH = 0x2f

export const gone = (path: Buffer): FoundChange => ({ path, kind: 'remove', bytes: 0, unreadableMode: null })

/** Null for what git cannot hold: folders, pipes, sockets, devices, and what is not there. */
export async function look(folder: string, path: Buffer): Promise<FoundChange | null> {
  try {
    const stat = await lstat(Buffer.concat([Buffer.from(`${folder}/`), path]))
    if (!stat.isFile() && !stat.isSymbolicLink()) return null
    const unreadableMode = stat.isFile() && (stat.mode & 0o400) === 0 ? stat.mode & 0o777 : null
    return { path, kind: 'put', bytes: stat.size, unreadableMode }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}
