import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { isDotGitPath } from '../git/dot-git.ts'
import { hasCode } from '../git/files.ts'
import { splitNul } from '../git/names.ts'
import { GITLINK } from '../git/raw-diff.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import type { CheckedOut } from '../working-tree/check-out.ts'
import { copyTree } from './copy-tree.ts'

export interface Shared {
  readonly excluded: readonly string[]
  readonly warnings: readonly string[]
}

/** Copies paths that git does not track from the user's checkout into a workspace. */
export async function sharePaths(
  repository: GitRepository,
  paths: readonly string[],
  checkedOut: CheckedOut,
): Promise<Shared> {
  const excluded: string[] = []
  const warnings: string[] = []
  // Folders before what they hold, which then needs no copy of its own.
  for (const path of paths.map(requireInside).toSorted()) {
    await requireUntracked(repository, path, checkedOut)
    // What the setup command made is newer than what lies in the checkout.
    if (await isFilled(join(checkedOut.tree, path))) continue
    if ((await statOf(join(repository.root, path))) === null) {
      warnings.push(`workspace.share: ${path} is not in the checkout`)
      continue
    }
    await requireRealFolders(checkedOut.tree, path)
    // A shared path that is itself a link must not lead writes to where it points.
    await copyTree({ from: repository.root, to: checkedOut.tree }, path, { isTopFollowed: true })
    excluded.push(path)
  }
  return { excluded, warnings }
}

function requireInside(written: string): string {
  const parts = written.split('/').filter((part) => part !== '' && part !== '.')
  const isInside =
    parts.length > 0 && !written.startsWith('/') && !parts.includes('..') && !written.includes('\0')
  if (isInside && !isDotGitPath(Buffer.from(written))) return parts.join('/')
  throw new Fault(
    'config_invalid',
    `workspace.share: ${JSON.stringify(written)} is not a path inside the repository`,
    {
      hint: 'name a file or folder relative to the root of the repository, such as node_modules',
    },
  )
}

async function requireUntracked(
  { owned }: GitRepository,
  path: string,
  { index }: CheckedOut,
): Promise<void> {
  const env = { GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: '1' }
  const { stdout } = await owned.run(['ls-files', '-s', '-z', '--', path], { env })
  // The folder of a submodule is the one tracked thing that is empty in a workspace.
  const tracked = splitNul(stdout).find((line) => line.toString('latin1', 0, GITLINK.length) !== GITLINK)
  if (tracked === undefined) return
  const name = tracked.subarray(tracked.indexOf(0x09) + 1).toString('utf8')
  throw new Fault('config_invalid', `workspace.share: git tracks ${name}, so ${path} cannot be shared`, {
    hint: 'share only what git ignores; tracked files are in every workspace anyway',
  })
}

/** No link of the tree may lead the copy out of the workspace. */
async function requireRealFolders(root: string, path: string): Promise<void> {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if ((await statOf(join(root, folder)))?.isDirectory() === false) {
      throw new Fault('config_invalid', `workspace.share: ${folder} is not a folder of the repository`)
    }
  }
}

/** False also for an empty folder, as a submodule leaves it. */
async function isFilled(path: string): Promise<boolean> {
  const stat = await statOf(path)
  if (stat === null) return false
  return !stat.isDirectory() || (await readdir(path)).length > 0
}

async function statOf(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}
