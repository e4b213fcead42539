import { createHash } from 'node:crypto'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, posix, relative, sep } from 'node:path'
import { readPlainFile } from '../../adapters/agents/program/plain-file.ts'
import type { GitRepository } from '../../adapters/workspaces/index.ts'
import { bytesOfName, isDotGitPath, nameOfBytes } from '../../adapters/workspaces/objects/names.ts'
import { FOLDER_MODE, type TreeEntry } from '../../adapters/workspaces/objects/object-reader.ts'
import { SYMLINK } from '../../adapters/workspaces/objects/raw-diff.ts'
import type { Trees } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import type { TreeId } from '../../model/id.ts'
import { outside, type ScriptSource } from './script-line.ts'

/** A file that is padded beyond this would be too long for anybody to see what it runs. */
const mostShown = 4 * 2 ** 20
/** A file of which only a digest is taken may be an archive. */
const mostDigested = 256 * 2 ** 20

/** The files of the checkout; what none of the commits holds is somebody's own, such as `.env`. */
export const checkoutSource = (
  root: string,
  committed: (path: string) => Promise<boolean> = async () => true,
): ScriptSource => ({
  read: (path) => readOfCheckout(root, path),
  list: async (folder) => {
    const real = await insideOf(root, folder)
    return typeof real === 'string' ? readdir(real).catch(noneOfCode) : (real ?? [])
  },
  digest: async (path) => {
    const bytes = await bytesOfCheckout(root, path, mostDigested)
    return bytes === null || bytes === outside ? null : digestOf(bytes)
  },
  isShown: committed,
  everywhere: async (names) => names,
})

/** The files of a commit, where links lead as they would in a checkout of it. */
export const treeSource = (
  { objects }: Pick<GitRepository, 'objects'>,
  trees: Pick<Trees, 'list'>,
  tree: TreeId,
): ScriptSource => {
  const find = async (real: string | typeof outside): Promise<TreeEntry | null> =>
    real === outside ? null : objects.find(tree, real)
  const bytesOf = async (path: string, most: number): Promise<Buffer | typeof outside | null> => {
    const real = await followLinks(objects, tree, path)
    if (real === outside) return outside
    const entry = await find(real)
    if (!entry?.mode.startsWith('100')) return null
    const bytes = await objects.blob(entry.oid)
    requireShort(path, bytes.length, most)
    return bytes
  }
  return {
    read: async (path) => textOf(await bytesOf(path, mostShown)),
    list: async (folder) => {
      const real = await followLinks(objects, tree, folder)
      if (real === outside) return outside
      const entry = real === '' ? { mode: FOLDER_MODE, oid: tree } : await find(real)
      if (entry?.mode !== FOLDER_MODE) return []
      return [...(await objects.tree(entry.oid)).keys()].map((name) =>
        nameOfBytes(Buffer.from(name, 'latin1')),
      )
    },
    digest: async (path) => {
      const bytes = await bytesOf(path, mostDigested)
      return bytes === null || bytes === outside ? null : digestOf(bytes)
    },
    isShown: async () => true,
    everywhere: async (names) =>
      [...(await trees.list(tree))].filter((path) => names.includes(posix.basename(path))),
  }
}

const mostLinks = 40

/** Where a path leads that may hold links of the tree, in git's own bytes; out of the tree is outside. */
async function followLinks(
  objects: GitRepository['objects'],
  tree: TreeId,
  path: string,
): Promise<string | typeof outside> {
  const coming = bytesOfName(path).toString('latin1').split('/')
  const real: string[] = []
  let links = 0
  for (let name = coming.shift(); name !== undefined; name = coming.shift()) {
    if (name === '' || name === '.') continue
    if (name === '..' && real.pop() === undefined) return outside
    if (name === '..') continue
    const entry = await objects.find(tree, [...real, name].join('/'))
    if (entry?.mode !== SYMLINK) {
      real.push(name)
      continue
    }
    const target = (await objects.blob(entry.oid)).toString('latin1')
    links += 1
    if (target.startsWith('/') || links > mostLinks) return outside
    coming.unshift(...target.split('/'))
  }
  return real.join('/')
}

/** The text of a file, to which a link may lead; null when there is none, and for a pipe or a device, which could last for ever. */
export const readOfCheckout = async (root: string, path: string): Promise<string | typeof outside | null> =>
  textOf(await bytesOfCheckout(root, path, mostShown))

async function bytesOfCheckout(
  root: string,
  path: string,
  most: number,
): Promise<Buffer | typeof outside | null> {
  try {
    const file = await insideOf(root, path)
    if (file === outside || file === null) return file
    requireShort(path, (await stat(file)).size, most)
    return await readPlainFile(file)
  } catch (error) {
    if (error instanceof Fault || !(error instanceof Error && 'code' in error)) throw error
    return null
  }
}

/** Where a path of the checkout really is; git's own folder is no part of it, and may hold a key. */
async function insideOf(root: string, path: string): Promise<string | typeof outside | null> {
  const [file, top] = await Promise.all([realpath(join(root, path)).catch(() => null), realpath(root)])
  if (file === null) return null
  const isInside = file === top || file.startsWith(`${top}${sep}`)
  return isInside && !isDotGitPath(Buffer.from(relative(top, file))) ? file : outside
}

const textOf = (bytes: Buffer | typeof outside | null): string | typeof outside | null =>
  bytes === null || bytes === outside ? bytes : bytes.toString('utf8')

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

function noneOfCode(error: unknown): string[] {
  if (error instanceof Error && 'code' in error) return [] // no folder, or not ours to read
  throw error
}

function requireShort(path: string, bytes: number, most: number): void {
  if (bytes <= most) return
  throw new Fault('repository_unsupported', `${path} is longer than ${most} bytes`, {
    hint: 'A command of this repository reads it, and nobody could see what it runs. Make it shorter, or change the command.',
  })
}
