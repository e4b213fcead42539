import type { TreeId } from '../../../model/id.ts'
import type { Git } from '../git/git.ts'
import { bytesOfName, splitNul } from '../git/names.ts'

const MAX_BYTES = 512 * 1024 * 1024
const TAB = 0x09

/** The regular files among `paths`, read with two git calls however many they are. */
export async function readRegularFiles(
  git: Git,
  tree: TreeId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const wanted = new Map(paths.map((path) => [bytesOfName(path).toString('latin1'), path]))
  const listed = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree], { maxBytes: MAX_BYTES })
  const found: { readonly path: string; readonly oid: string }[] = []
  for (const line of splitNul(listed.stdout)) {
    const tab = line.indexOf(TAB)
    const path = wanted.get(line.toString('latin1', tab + 1))
    const [mode, , oid] = line.toString('latin1', 0, tab).split(' ')
    if (path !== undefined && oid !== undefined && mode?.startsWith('100')) found.push({ path, oid })
  }
  const stdin = found.map(({ oid }) => `${oid}\n`).join('')
  const { stdout } = await git.run(['cat-file', '--batch'], { stdin, maxBytes: MAX_BYTES })
  return new Map(splitObjects(stdout).map((bytes, index) => [found[index]?.path ?? '', bytes]))
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
