import { TreeId } from '../../../model/id.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { writeObject } from './loose-object.ts'
import { FOLDER_MODE, type TreeEntry } from './object-reader.ts'

/** What to put at a path, a character per byte, or null to remove what is there. */
export type TreeEdits = ReadonlyMap<string, TreeEntry | null>

/** The tree with these edits, and with only the folders on their way written anew. */
export async function editTree(repository: GitRepository, tree: TreeId, edits: TreeEdits): Promise<TreeId> {
  const edited = await editFolder(repository, tree, edits)
  return TreeId.parse(edited ?? (await writeFolder(repository, new Map())))
}

/** Null when nothing is left in it. */
async function editFolder(
  repository: GitRepository,
  folder: string | null,
  edits: TreeEdits,
): Promise<string | null> {
  const entries = new Map(folder === null ? [] : await repository.objects.tree(folder))
  const below = new Map<string, Map<string, TreeEntry | null>>()
  for (const [path, entry] of edits) {
    const slash = path.indexOf('/')
    if (slash === -1) {
      if (entry === null) entries.delete(path)
      else entries.set(path, entry)
      continue
    }
    const name = path.slice(0, slash)
    const inner = below.get(name) ?? new Map<string, TreeEntry | null>()
    below.set(name, inner.set(path.slice(slash + 1), entry))
  }
  for (const [name, inner] of below) {
    const current = entries.get(name)
    const isFolder = current?.mode === FOLDER_MODE
    // Nothing is removed from below what is no folder.
    if (!isFolder && [...inner.values()].every((entry) => entry === null)) continue
    const oid = await editFolder(repository, isFolder ? current.oid : null, inner)
    if (oid === null) entries.delete(name)
    else entries.set(name, { mode: FOLDER_MODE, oid })
  }
  return entries.size === 0 ? null : writeFolder(repository, entries)
}

function writeFolder({ owned, oidBytes }: GitRepository, entries: ReadonlyMap<string, TreeEntry>) {
  // git sorts a folder as if its name ended with a slash.
  const keyOf = ([name, { mode }]: readonly [string, TreeEntry]): string =>
    mode === FOLDER_MODE ? `${name}/` : name
  const sorted = [...entries].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const parts = sorted.flatMap(([name, { mode, oid }]) => [
    Buffer.from(`${mode} ${name}\0`, 'latin1'),
    Buffer.from(oid, 'hex'),
  ])
  const bytes = Buffer.concat(parts)
  return writeObject(owned, oidBytes, { type: 'tree', bytes })
}
