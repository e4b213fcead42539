import type { TreeId } from '../../../model/id.ts'
import type { Git } from '../git/git.ts'
import { bytesOfName } from '../git/names.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024
const SLASH = 0x2f

interface TreeEntry {
  readonly mode: string
  readonly oid: string
}

export type ReadFile = (tree: TreeId, path: string) => Promise<Uint8Array | null>

/** Reads regular files of trees. A tree never changes, so what was read lately need not be asked again. */
export function createFileReader(git: Git): ReadFile {
  const known = new Map<string, Promise<Uint8Array | null>>()
  let keptBytes = 0
  const keep = (key: string, bytes: Uint8Array | null): void => {
    keptBytes += costOf(bytes)
    for (const [oldest, read] of known) {
      if (keptBytes <= KEPT_BYTES) break
      known.delete(oldest)
      void read.then((dropped) => (keptBytes -= costOf(dropped)))
    }
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
