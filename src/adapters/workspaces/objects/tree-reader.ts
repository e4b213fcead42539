import type { TreeId } from '../../../model/id.ts'
import { NewestMap } from '../../../model/newest-map.ts'
import type { Git } from './git.ts'
import { bytesOfName, nameOfBytes, splitNul } from './names.ts'
import type { GitRepository } from './repository.ts'
import { readCheckedOut, type NamedFile } from './checked-out-files.ts'

const MAX_BYTES = 512 * 1024 * 1024
const TAB = 0x09
/** A session reads the base, the tip and a few patched trees over and over. */
const REMEMBERED_TREES = 8
/** Fewer are sooner asked of the git that is running already. */
const MANY_FILES = 16

interface TreeReader {
  /** The paths of all regular files. */
  list(tree: TreeId): Promise<ReadonlySet<string>>
  /** The id of the content of every regular file. */
  blobs(tree: TreeId): Promise<ReadonlyMap<string, string>>
  /** The sizes of all regular files, in bytes. */
  sizes(tree: TreeId): Promise<ReadonlyMap<string, number>>
  /** Those of the paths that are regular files. */
  readMany(tree: TreeId, paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
}

/** Reads files out of trees; what a tree holds is listed once. */
export function createTreeReader(repository: GitRepository): TreeReader {
  const { owned, objects } = repository
  const listings = new NewestMap<TreeId, Promise<ReadonlyMap<string, string>>>(REMEMBERED_TREES)
  const listingOf = (tree: TreeId): Promise<ReadonlyMap<string, string>> => {
    const known = listings.get(tree)
    if (known) return known
    const listing = listFiles(owned, tree)
    listings.set(tree, listing)
    listing.catch(() => listings.delete(tree))
    return listing
  }
  return {
    list: async (tree) => new Set((await listingOf(tree)).keys()),
    blobs: listingOf,
    sizes: (tree) => listSizes(owned, tree),
    async readMany(tree, paths) {
      const listed = await listings.get(tree)?.catch(() => undefined)
      const find = async (path: string): Promise<string | undefined> => {
        if (listed) return listed.get(path)
        const entry = await objects.find(tree, bytesOfName(path).toString('latin1'))
        return isFile(entry?.mode) ? entry?.oid : undefined
      }
      const findFile = async (path: string): Promise<NamedFile | null> => {
        const oid = await find(path)
        return oid === undefined ? null : [path, oid]
      }
      const files = (await Promise.all(paths.map(findFile))).filter((file) => file !== null)
      const here = files.length < MANY_FILES ? new Map() : await readCheckedOut(repository, files)
      const read = async ([path, oid]: NamedFile): Promise<readonly [string, Buffer]> => [
        path,
        here.get(path) ?? (await objects.blob(oid)),
      ]
      return new Map(await Promise.all(files.map(read)))
    },
  }
}

async function listSizes(git: Git, tree: TreeId): Promise<ReadonlyMap<string, number>> {
  const listed = await git.run(['ls-tree', '-r', '-l', '-z', '--full-tree', tree], { maxBytes: MAX_BYTES })
  const sizes = new Map<string, number>()
  for (const line of splitNul(listed.stdout)) {
    const tab = line.indexOf(TAB)
    const [mode, , , size] = line.toString('latin1', 0, tab).split(/ +/)
    if (isFile(mode)) sizes.set(nameOfBytes(line.subarray(tab + 1)), Number(size))
  }
  return sizes
}

const isFile = (mode: string | undefined): boolean => mode?.startsWith('100') ?? false

async function listFiles(git: Git, tree: TreeId): Promise<ReadonlyMap<string, string>> {
  const listed = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree], { maxBytes: MAX_BYTES })
  const files = new Map<string, string>()
  for (const line of splitNul(listed.stdout)) {
    const tab = line.indexOf(TAB)
    const [mode, , oid = ''] = line.toString('latin1', 0, tab).split(' ')
    if (isFile(mode)) files.set(nameOfBytes(line.subarray(tab + 1)), oid)
  }
  return files
}
