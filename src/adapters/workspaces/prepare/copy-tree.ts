import { constants } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, readdir, readlink, realpath, symlink, utimes } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { bytesOfName } from '../git/names.ts'

/** A copy from one root into another; links between files of the first lead to the same files of the second. */
export interface CopyRoots {
  readonly from: string
  readonly to: string
}

const AT_ONCE = 32

/** Copies a file or a folder by reflink where the file system can, else by bytes; never by a link to the source. */
export async function copyTree(
  roots: CopyRoots,
  path: string,
  { isTopFollowed = false } = {},
): Promise<void> {
  const byteRoots = { from: toByteString(roots.from), to: toByteString(roots.to) }
  const name = bytesOfName(path).toString('latin1')
  await mkdir(fromByteString(dirname(join(byteRoots.to, name))), { recursive: true })
  const source = join(byteRoots.from, name)
  await copyEntry(byteRoots, isTopFollowed ? await realOrSame(source) : source, join(byteRoots.to, name))
}

/** Paths as strings of one character per byte, so that every name survives. */
const toByteString = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const fromByteString = (path: string): Buffer => Buffer.from(path, 'latin1')

async function copyEntry(roots: CopyRoots, source: string, target: string): Promise<void> {
  const stat = await lstat(fromByteString(source))
  if (stat.isDirectory()) return copyFolder(roots, { source, target, mode: stat.mode })
  if (stat.isSymbolicLink()) return symlink(await relink(roots, source, target), fromByteString(target))
  // Pipes, sockets and devices have no content to share.
  if (!stat.isFile()) return
  await copyFile(fromByteString(source), fromByteString(target), constants.COPYFILE_FICLONE)
  if ((stat.mode & 0o200) === 0) await chmod(fromByteString(target), stat.mode | 0o200)
  await utimes(fromByteString(target), stat.atimeMs / 1000, stat.mtimeMs / 1000)
}

async function copyFolder(
  roots: CopyRoots,
  { source, target, mode }: { source: string; target: string; mode: number },
): Promise<void> {
  // The owner may always write: a workspace must be deletable.
  await mkdir(fromByteString(target), { recursive: true, mode: (mode & 0o777) | 0o700 })
  const entries = await readdir(fromByteString(source), { withFileTypes: true, encoding: 'buffer' })
  const inside = (entry: { name: Buffer }, folder: string) => `${folder}/${entry.name.toString('latin1')}`
  const files = entries.filter((entry) => !entry.isDirectory())
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const chunk = files.slice(at, at + AT_ONCE)
    await Promise.all(chunk.map((entry) => copyEntry(roots, inside(entry, source), inside(entry, target))))
  }
  for (const entry of entries.filter((one) => one.isDirectory())) {
    await copyEntry(roots, inside(entry, source), inside(entry, target))
  }
}

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
