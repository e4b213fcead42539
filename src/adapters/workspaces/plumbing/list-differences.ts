import { FOLDER_MODE, type ObjectReader, type TreeEntry } from './object-reader.ts'

/** A file that is not the same in two trees; null where it is not there. */
export interface Difference {
  readonly path: string
  readonly before: TreeEntry | null
  readonly after: TreeEntry | null
}

/** Compares two trees file by file; folders with the same name and content are not looked into. */
export async function listDifferences(
  objects: Pick<ObjectReader, 'tree'>,
  before: string | null,
  after: string | null,
  prefix = '',
): Promise<Difference[]> {
  if (before === after) return []
  const [old, now] = await Promise.all([entriesOf(objects, before), entriesOf(objects, after)])
  const found: Difference[] = []
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [a, b] = [old.get(name) ?? null, now.get(name) ?? null]
    if (a?.oid === b?.oid && a?.mode === b?.mode) continue
    const path = `${prefix}${name}`
    if (!isFolder(a) && !isFolder(b)) found.push({ path, before: a, after: b })
    else {
      const below = await listDifferences(objects, folderOf(a), folderOf(b), `${path}/`)
      const [fileA, fileB] = [isFolder(a) ? null : a, isFolder(b) ? null : b]
      if (fileA || fileB) found.push({ path, before: fileA, after: fileB })
      found.push(...below)
    }
  }
  return found
}

const isFolder = (entry: TreeEntry | null): boolean => entry?.mode === FOLDER_MODE
const folderOf = (entry: TreeEntry | null): string | null => (entry?.mode === FOLDER_MODE ? entry.oid : null)

const entriesOf = async (objects: Pick<ObjectReader, 'tree'>, oid: string | null) =>
  oid === null ? new Map<string, TreeEntry>() : objects.tree(oid)
