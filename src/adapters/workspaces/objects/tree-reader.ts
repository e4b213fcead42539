import type { TreeId } from '../../../model/id.ts'
import type { Git } from '../git/git.ts'
import { nameOfBytes, splitNul } from '../git/names.ts'

const MAX_BYTES = 512 * 1024 * 1024
const TAB = 0x09
/** A session reads the base, the tip and a few patched trees over and over. */
const REMEMBERED_TREES = 8

export interface TreeReader {
  /** The paths of all regular files. */
  list(tree: TreeId): Promise<ReadonlySet<string>>
  /** Those of the paths that are regular files, read with one git call however many they are. */
  readMany(tree: TreeId, paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
}

/** Reads files out of trees; what a tree holds is listed once. */
export function createTreeReader(git: Git): TreeReader {
  const listings = new Map<TreeId, Promise<ReadonlyMap<string, string>>>()
  const listingOf = (tree: TreeId): Promise<ReadonlyMap<string, string>> => {
    const known = listings.get(tree)
    if (known) return known
    const listing = listFiles(git, tree)
    listings.set(tree, listing)
    listing.catch(() => listings.delete(tree))
    const [oldest] = listings.keys()
    if (listings.size > REMEMBERED_TREES && oldest !== undefined) listings.delete(oldest)
    return listing
  }
  return {
    list: async (tree) => new Set((await listingOf(tree)).keys()),
    async readMany(tree, paths) {
      const listing = await listingOf(tree)
      const found = paths.filter((path) => listing.has(path))
      if (found.length === 0) return new Map()
      const stdin = found.map((path) => `${listing.get(path) ?? ''}\n`).join('')
      const { stdout } = await git.run(['cat-file', '--batch'], { stdin, maxBytes: MAX_BYTES })
      return new Map(splitObjects(stdout).map((bytes, index) => [found[index] ?? '', bytes]))
    },
  }
}

/** The object of every regular file by its path. */
async function listFiles(git: Git, tree: TreeId): Promise<ReadonlyMap<string, string>> {
  const listed = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree], { maxBytes: MAX_BYTES })
  const files = new Map<string, string>()
  for (const line of splitNul(listed.stdout)) {
    const tab = line.indexOf(TAB)
    const [mode, , oid] = line.toString('latin1', 0, tab).split(' ')
    if (oid !== undefined && mode?.startsWith('100')) files.set(nameOfBytes(line.subarray(tab + 1)), oid)
  }
  return files
}

/** Cuts `<oid> blob <size>\n<bytes>\n` records apart. */
function splitObjects(output: Buffer): readonly Uint8Array[] {
  const objects: Uint8Array[] = []
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0x0a, at)
    const size = Number(output.toString('latin1', at, end).split(' ')[2])
    objects.push(output.subarray(end + 1, end + 1 + size))
    at = end + 1 + size + 1
  }
  return objects
}
