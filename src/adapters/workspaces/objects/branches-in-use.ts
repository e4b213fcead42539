import { join } from 'node:path'
import { namesIn, readIfThere } from '../git/files.ts'
import type { GitRepository } from '../repository/open-repository.ts'

/** Files in which an unfinished rebase or bisect keeps the branch it will come back to. */
const UNFINISHED = [
  'rebase-merge/head-name',
  'rebase-apply/head-name',
  'rebase-merge/update-refs',
  'BISECT_START',
]

/** Full names of the branches that some checkout is on, or is in the middle of rebasing or bisecting. */
export async function listBranchesInUse(repository: GitRepository): Promise<ReadonlySet<string>> {
  const { stdout } = await repository.users.run(['worktree', 'list', '--porcelain', '-z'])
  const lines = stdout.toString('utf8').split('\0')
  const inUse = new Set(
    lines.filter((line) => line.startsWith('branch ')).map((line) => line.slice('branch '.length)),
  )
  for (const gitDir of await listGitDirs(repository.commonDir)) {
    for (const name of UNFINISHED) {
      const content = (await readIfThere(join(gitDir, name)))?.toString('utf8') ?? ''
      for (const line of content.split('\n').filter((text) => text !== '')) {
        inUse.add(line.startsWith('refs/') ? line : `refs/heads/${line}`)
      }
    }
  }
  return inUse
}

async function listGitDirs(commonDir: string): Promise<string[]> {
  const folder = join(commonDir, 'worktrees')
  return [commonDir, ...(await namesIn(folder)).map((name) => join(folder, name))]
}
