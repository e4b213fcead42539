import type { TreeId } from '../../../model/id.ts'
import type { Git } from '../git/git.ts'
import { bytesOfName } from '../git/names.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024
const SLASH = 0x2f

interface TreeEntry {
  readonly mode: string
  readonly oid: string
}

/** The bytes of a regular file in a tree; null for anything else, whatever the path says. */
export async function readRegularFile(git: Git, tree: TreeId, path: string): Promise<Uint8Array | null> {
  if (path.includes('\0')) return null
  const name = bytesOfName(path)
  const components = name.toString('latin1').split('/')
  if (components.some((part) => part === '' || part === '.' || part === '..')) return null
  const slash = name.lastIndexOf(SLASH)
  const folder = slash === -1 ? Buffer.alloc(0) : name.subarray(0, slash)
  const entry = (await readTree(git, tree, folder))?.get(name.subarray(slash + 1).toString('latin1'))
  if (entry === undefined || !entry.mode.startsWith('100')) return null
  return (await git.run(['cat-file', 'blob', entry.oid], { maxBytes: MAX_FILE_BYTES })).stdout
}

/** One folder's entries by name; asked on stdin because arguments cannot carry every byte. */
async function readTree(git: Git, tree: TreeId, folder: Buffer): Promise<Map<string, TreeEntry> | null> {
  const object = folder.length === 0 ? Buffer.from(tree) : Buffer.concat([Buffer.from(`${tree}:`), folder])
  const { stdout } = await git.run(['cat-file', '--batch', '-z'], {
    stdin: Buffer.concat([object, Buffer.from([0])]),
  })
  const size = /^[0-9a-f]+ tree (\d+)\n/.exec(stdout.toString('latin1', 0, 200))
  if (size === null) return null
  const start = size[0].length
  return parseTree(stdout.subarray(start, start + Number(size[1])), tree.length / 2)
}

function parseTree(content: Buffer, oidBytes: number): Map<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>()
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at)
    const nul = content.indexOf(0, space)
    const end = nul + 1 + oidBytes
    entries.set(content.toString('latin1', space + 1, nul), {
      mode: content.toString('latin1', at, space),
      oid: content.toString('hex', nul + 1, end),
    })
    at = end
  }
  return entries
}
