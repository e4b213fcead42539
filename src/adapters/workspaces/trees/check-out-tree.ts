import { constants } from 'node:fs'
import { mkdir, copyFile, writeFile, lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TreeId, CommitId } from '../../../model/id.ts'
import { readIfThere } from '../objects/files.ts'
import type { Git } from '../objects/git.ts'
import { bytesOfName } from '../objects/names.ts'
import { copyIndex } from '../objects/temporary-index.ts'
import type { GitRepository } from '../objects/repository.ts'
import { alternatesOf } from '../refs/owned-git-dir.ts'

/** A checked-out tree and its index, which lies outside of it. */
export interface CheckedOut {
  readonly tree: string
  readonly index: string
}

/** Writes a tree's files into an empty folder, exact to the byte, and an index that knows their stat data. */
export async function checkOutTree(
  git: Git,
  { tree: folder, index }: CheckedOut,
  tree: TreeId,
): Promise<void> {
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: folder }
  await mkdir(folder, { recursive: true })
  // Git writes a hundred files or more with as many processes as the machine has cores.
  await git.run(['-c', 'checkout.workers=0', 'read-tree', '--reset', '-u', tree], { env })
}

/** Puts a `.git` of plain files into the tree, so that git commands work there; nothing in it ever counts. */
export async function writeThrowAwayGit(
  { owned, objectDirs, objectFormat, isShallow }: GitRepository,
  layout: CheckedOut,
  { head, excluded }: { head: CommitId; excluded: readonly string[] },
): Promise<void> {
  const gitDir = join(layout.tree, '.git')
  const at = (...parts: string[]) => join(gitDir, ...parts)
  const folders = [
    at('objects', 'info'),
    at('objects', 'pack'),
    at('refs', 'heads'),
    at('refs', 'tags'),
    at('info'),
  ]
  for (const folder of folders) await mkdir(folder, { recursive: true })
  await writeFile(at('HEAD'), `${head}\n`)
  await writeFile(at('config'), configOf(objectFormat))
  await writeFile(
    at('objects', 'info', 'alternates'),
    alternatesOf([join(owned.gitDir, 'objects'), ...objectDirs]),
  )
  await copyFile(join(owned.gitDir, 'info', 'attributes'), at('info', 'attributes'))
  await writeFile(at('info', 'exclude'), await excludesOf(owned.gitDir, excluded))
  if (isShallow) await copyFile(join(owned.gitDir, 'shallow'), at('shallow'))
  await copyIndex(layout.index, at('index'))
}

/** Brings an untouched tree up to date. */
export async function refreshThrowAwayGit(
  { tree, index }: CheckedOut,
  { head, isIndexKept }: { head: CommitId; isIndexKept: boolean },
): Promise<void> {
  await writeFile(join(tree, '.git', 'HEAD'), `${head}\n`)
  if (!isIndexKept) await copyIndex(index, join(tree, '.git', 'index'))
}

export const configOf = (objectFormat: 'sha1' | 'sha256'): string =>
  [
    '[core]',
    `\trepositoryformatversion = ${objectFormat === 'sha256' ? 1 : 0}`,
    '\tbare = false',
    '\tfilemode = true',
    ...(objectFormat === 'sha256' ? ['[extensions]', '\tobjectformat = sha256'] : []),
    '[user]',
    '\tname = Workspace',
    '\temail = workspace@localhost',
    '[commit]',
    '\tgpgsign = false',
    '[gc]',
    '\tauto = 0',
    '',
  ].join('\n')

async function excludesOf(gitDir: string, excluded: readonly string[]): Promise<Buffer> {
  const inherited = (await readIfThere(join(gitDir, 'info', 'exclude'))) ?? Buffer.alloc(0)
  const lines = excluded.map((path) => {
    const escaped = bytesOfName(path)
      .toString('latin1')
      .replace(/[\\*?[\] ]/g, '\\$&')
    return Buffer.from(`/${escaped}\n`, 'latin1')
  })
  return Buffer.concat([inherited, Buffer.from('\n'), ...lines])
}

/** How the throw-away `.git` was when the agent got it. */
interface GivenGit {
  readonly head: string
  readonly config: string
}

/** The changes that an agent made with git in its workspace, in words; they are gone with the workspace. Only plain files are read. */
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
