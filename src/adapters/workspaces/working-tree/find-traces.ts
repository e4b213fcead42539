import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** How the throw-away `.git` was when the agent got it. */
export interface GivenGit {
  readonly head: string
  readonly config: string
}

/** What an agent did with git in its workspace, in words; it is gone with the workspace. Only plain files are read. */
export async function findTraces(tree: string, given: GivenGit): Promise<readonly string[]> {
  const gitDir = join(tree, '.git')
  if (!(await isFolder(gitDir))) return ['its .git, replaced']
  const head = (await readPlain(join(gitDir, 'HEAD')))?.trim() ?? ''
  const branches = await branchesIn(gitDir)
  const commits = [head, ...branches.values()].filter((text) => isCommit.test(text))
  const config = await readPlain(join(gitDir, 'config'))
  return [
    ...(commits.some((commit) => commit !== given.head) ? ['commits of its own'] : []),
    ...(branches.size > 0 ? [`branches of its own (${listNames([...branches.keys()])})`] : []),
    ...(head.startsWith('ref: ') ? ['a switch of the branch'] : []),
    ...(config === given.config ? [] : ['changes of git’s configuration']),
    ...((await namesOf(join(gitDir, 'hooks'))).length > 0 ? ['hooks'] : []),
  ]
}

const isCommit = /^[0-9a-f]{40,64}$/

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stat) => stat.isDirectory(),
    () => false,
  )

const mostBytes = 65_536

/** The beginning of a file; null for anything else, and nothing that could keep us waiting is opened. */
async function readPlain(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  )
  if (!file) return null
  try {
    if (!(await file.stat()).isFile()) return null
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Loose and packed branches with the commits they name. */
async function branchesIn(gitDir: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const packed = (await readPlain(join(gitDir, 'packed-refs'))) ?? ''
  for (const [, commit = '', name = ''] of packed.matchAll(/^([0-9a-f]{40,64}) refs\/heads\/(.+)$/gm))
    found.set(name, commit)
  for (const name of (await namesOf(join(gitDir, 'refs/heads'))).slice(0, mostBranches))
    found.set(name, (await readPlain(join(gitDir, 'refs/heads', name)))?.trim() ?? '')
  return found
}

const mostBranches = 20

const namesOf = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])

/** Git allows no control characters in names, but whoever writes files may. */
const listNames = (names: readonly string[]): string =>
  names
    .slice(0, 3)
    .map((name) => name.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, 60))
    .join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '')
