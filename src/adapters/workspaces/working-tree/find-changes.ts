import { lstat } from 'node:fs/promises'
import type { Git } from '../git/git.ts'
import { hasCode } from '../git/files.ts'
import { splitNul } from '../git/names.ts'
import { parseRawDiff } from '../git/raw-diff.ts'
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

const MAX_NAME_BYTES = 64 * 1024 * 1024

/** Everything that was added, changed or removed, without looking into submodules; null when there are too many names. */
export async function findChanges(
  git: Git,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<FoundChange[] | null> {
  const list = async () => {
    const options = { env, maxBytes: MAX_NAME_BYTES, overflow: 'cut' } as const
    const [tracked, untracked] = await Promise.all([
      git.run(['diff-files', '-z', '--raw', '--ignore-submodules=all'], options),
      git.run(['ls-files', '-o', '-z', '--exclude-standard'], options),
    ])
    return { tracked, untracked, stderr: tracked.stderr + untracked.stderr }
  }
  let listed = await list()
  if (/Permission denied/i.test(listed.stderr)) {
    await openFolders(Buffer.from(folder))
    listed = await list()
  }
  if (listed.tracked.isCut || listed.untracked.isCut) return null
  const changes: FoundChange[] = []
  for (const { path, status } of parseRawDiff(listed.tracked.stdout)) {
    // A removed path may still be reachable, through a link that took the place of its folder.
    changes.push(status === 'D' ? gone(path) : ((await look(folder, path)) ?? gone(path)))
  }
  for (const path of splitNul(listed.untracked.stdout)) {
    if (path.at(-1) === SLASH) changes.push({ ...gone(path), kind: 'nested' })
    else changes.push(...[await look(folder, path)].filter((change) => change !== null))
  }
  return changes
}

const SLASH = 0x2f

const gone = (path: Buffer): FoundChange => ({ path, kind: 'remove', bytes: 0, unreadableMode: null })

/** Null for what git cannot hold: folders, pipes, sockets, devices, and what is not there. */
async function look(folder: string, path: Buffer): Promise<FoundChange | null> {
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
