import { constants } from 'node:fs'
import { lstat, readdir, chmod, copyFile, mkdir, readlink, realpath, symlink, utimes } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import pLimit from 'p-limit'
import { Fault } from '../../../model/fault.ts'
import { hasCode, lstatIfThere } from '../objects/files.ts'
import { bytesOfName, isDotGitPath, splitNul, toByteString } from '../objects/names.ts'
import { GITLINK, SYMLINK } from '../objects/raw-diff.ts'
import type { GitRepository } from '../objects/repository.ts'
import type { CheckedOut } from './check-out-tree.ts'

interface Shared {
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
    // The output of the setup command is newer than the files of the checkout.
    if (await isFilled(join(checkedOut.tree, path))) continue
    if ((await lstatIfThere(join(repository.root, path))) === null) {
      warnings.push(`workspace.share: ${path} is not in the checkout`)
      continue
    }
    await requireRealFolders(checkedOut.tree, path)
    await requireOwnLinks(repository, path)
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
    if ((await lstatIfThere(join(root, folder)))?.isDirectory() === false) {
      throw new Fault('config_invalid', `workspace.share: ${folder} is not a folder of the repository`)
    }
  }
}

/** A link that the person made leads where they want; one of the commit that is checked out may lead to their keys. */
async function requireOwnLinks({ checkout, objects }: GitRepository, path: string): Promise<void> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', 'HEAD^{tree}']
  const { stdout } = await checkout.run(args, { answers: [1, 128] })
  const head = stdout.toString('latin1').trim()
  if (head === '') return
  const parts = path.split('/')
  for (const [index] of parts.entries()) {
    const name = parts.slice(0, index + 1).join('/')
    const entry = await objects.find(head, bytesOfName(name).toString('latin1'))
    if (entry?.mode === SYMLINK)
      throw new Fault(
        'config_invalid',
        `workspace.share: ${name} is a link that the checked out commit brought`,
        {
          hint: 'a commit may lead it anywhere; put the folder itself there, or a link that git does not track',
        },
      )
  }
}

/** False also for an empty folder, as a submodule leaves it. */
async function isFilled(path: string): Promise<boolean> {
  const stat = await lstatIfThere(path)
  if (stat === null) return false
  return !stat.isDirectory() || (await readdir(path)).length > 0
}

/** A copy from one root into another; links between files of the first lead to the same files of the second. */
interface CopyRoots {
  readonly from: string
  readonly to: string
}

const AT_ONCE = 32

/**
 * Copies a file or a folder by reflink where the file system can, else by bytes; never by a link to the source. What is in
 * the target stays: a commit may hold a file or, leading anywhere, a link in the place of what setup made of another one.
 */
export async function copyTree(
  roots: CopyRoots,
  path: string,
  { isTopFollowed = false } = {},
): Promise<void> {
  const byteRoots = { from: toByteString(roots.from), to: toByteString(roots.to) }
  const name = bytesOfName(path).toString('latin1')
  const folders = dirname(name).split('/')
  for (const [index] of folders.entries())
    if (!(await isOwnFolder(join(byteRoots.to, ...folders.slice(0, index + 1)), 0o755))) return
  const source = join(byteRoots.from, name)
  await copyEntry(byteRoots, isTopFollowed ? await realOrSame(source) : source, join(byteRoots.to, name))
}

const fromByteString = (path: string): Buffer => Buffer.from(path, 'latin1')

async function copyEntry(roots: CopyRoots, source: string, target: string): Promise<void> {
  const stat = await lstat(fromByteString(source))
  if (stat.isDirectory()) return copyFolder(roots, { source, target, mode: stat.mode })
  if (stat.isSymbolicLink()) {
    const to = await relink(roots, source, target)
    await unlessThere(symlink(to, fromByteString(target)))
    return
  }
  // Pipes, sockets and devices have no content to share.
  if (!stat.isFile()) return
  const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants
  const copying = copyFile(fromByteString(source), fromByteString(target), COPYFILE_EXCL | COPYFILE_FICLONE)
  if (!(await unlessThere(copying))) return
  if ((stat.mode & 0o200) === 0) await chmod(fromByteString(target), stat.mode | 0o200)
  await utimes(fromByteString(target), stat.atimeMs / 1000, stat.mtimeMs / 1000)
}

async function copyFolder(
  roots: CopyRoots,
  { source, target, mode }: { source: string; target: string; mode: number },
): Promise<void> {
  // The owner may always write: a workspace must be deletable.
  if (!(await isOwnFolder(target, (mode & 0o777) | 0o700))) return
  const entries = await readdir(fromByteString(source), { withFileTypes: true, encoding: 'buffer' })
  const inside = (entry: { name: Buffer }, folder: string) => `${folder}/${entry.name.toString('latin1')}`
  const files = entries.filter((entry) => !entry.isDirectory())
  await pLimit(AT_ONCE).map(files, (entry) => copyEntry(roots, inside(entry, source), inside(entry, target)))
  for (const entry of entries.filter((one) => one.isDirectory())) {
    await copyEntry(roots, inside(entry, source), inside(entry, target))
  }
}

/** Whether something was made in a place where nothing was. */
async function unlessThere(making: Promise<unknown>): Promise<boolean> {
  try {
    await making
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** Whether a folder is there now, made if need be; a link to one is none. */
const isOwnFolder = async (path: string, mode: number): Promise<boolean> =>
  (await unlessThere(mkdir(fromByteString(path), { mode }))) ||
  (await lstat(fromByteString(path))).isDirectory()

/** The target of a copied link: inside the new root for what lay in the old one, else absolute. */
async function relink(roots: CopyRoots, source: string, target: string): Promise<Buffer> {
  const written = (await readlink(fromByteString(source), 'buffer')).toString('latin1')
  const meant = resolve(dirname(source), written)
  const within = insideOf(roots.from, meant) ?? insideOf(roots.from, await realOrSame(meant))
  if (within === null) return fromByteString(meant)
  return fromByteString(relative(dirname(target), join(roots.to, within)) || '.')
}

function insideOf(root: string, path: string): string | null {
  if (path === root) return ''
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null
}

/** The root may be reached by another name, through a link above it. */
async function realOrSame(path: string): Promise<string> {
  try {
    return (await realpath(fromByteString(path), 'buffer')).toString('latin1')
  } catch {
    return path // a link that leads nowhere
  }
}

/** What an installer writes lies near the top: packages, their folders and its own lists. */
const deepest = 3
const mostEntries = 4_000

/** Tells two states of shared paths apart by names, sizes and times, without reading what they hold. */
export async function sharedState(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const seen: string[] = []
  for (const path of paths.toSorted()) {
    seen.push(path)
    const top = await realpath(join(root, path)).catch(() => null)
    if (top !== null) await lookInto(top, seen)
  }
  return seen
}

async function lookInto(top: string, seen: string[]): Promise<void> {
  let level: readonly string[] = ['']
  for (let depth = 0; depth <= deepest && level.length > 0; depth += 1) {
    const below: string[] = []
    for (const path of level) {
      if (seen.length >= mostEntries) return
      const entry = await lstat(join(top, path)).catch(() => null)
      if (!entry) continue
      seen.push(`${path} ${entry.isDirectory() ? '' : entry.size} ${entry.mtimeMs}`)
      if (entry.isDirectory() && depth < deepest)
        below.push(...(await readdir(join(top, path))).toSorted().map((name) => join(path, name)))
    }
    level = below
  }
}
