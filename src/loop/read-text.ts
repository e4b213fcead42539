import type { TreeId } from '../model/id.ts'
import type { Trees } from './ports.ts'

/** A file of a tree as text, or null when there is none. */
export async function readText(trees: Trees, tree: TreeId, path: string): Promise<string | null> {
  const bytes = (await trees.readMany(tree, [path])).get(path)
  return bytes ? new TextDecoder().decode(bytes) : null
}
