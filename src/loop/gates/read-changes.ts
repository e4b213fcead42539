import type { TreeId } from '../../model/id.ts'
import type { Patch } from '../../model/proof/patch.ts'
import type { FileChange, Trees } from '../ports.ts'

/** Every file of a patch with its text on both sides. */
export async function readChanges(
  { base_tree, tree, files }: Patch,
  trees: Trees,
): Promise<readonly FileChange[]> {
  const before = await readTexts(
    trees,
    base_tree,
    files.map(({ path, old_path }) => old_path ?? path),
  )
  const after = await readTexts(
    trees,
    tree,
    files.map(({ path }) => path),
  )
  return files.map(({ path, old_path, status, binary }) => ({
    path,
    oldPath: old_path,
    status,
    before: before.get(old_path ?? path) ?? null,
    after: after.get(path) ?? null,
    isBinary: binary,
  }))
}

export async function readTexts(
  trees: Pick<Trees, 'readMany'>,
  tree: TreeId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const bytes = await trees.readMany(tree, paths)
  return new Map([...bytes].map(([path, content]) => [path, new TextDecoder().decode(content)]))
}
