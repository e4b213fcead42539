import type { TreeId } from '../model/id.ts'
import type { Issue } from '../model/issue/issue.ts'
import type { Trees } from './ports.ts'

/** The text of the file that an issue is about, or null when it is about none or the file is gone. */
export async function readCode(trees: Trees, tree: TreeId, { file }: Issue): Promise<string | null> {
  if (!file) return null
  const bytes = (await trees.readMany(tree, [file])).get(file)
  return bytes ? new TextDecoder().decode(bytes) : null
}

/** The texts of files in a tree, by path; those that are not there are left out. */
export async function readTexts(
  trees: Pick<Trees, 'readMany'>,
  tree: TreeId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const bytes = await trees.readMany(tree, paths)
  return new Map([...bytes].map(([path, content]) => [path, new TextDecoder().decode(content)]))
}
