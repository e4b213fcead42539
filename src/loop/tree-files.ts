import type { TreeId } from '../model/id.ts'
import type { CodeFiles, Trees } from './ports.ts'

/** A tree's files for an agent that reads trees. */
export const treeFiles = (trees: Pick<Trees, 'list' | 'readMany'>, tree: TreeId): CodeFiles => ({
  list: () => trees.list(tree),
  read: (paths) => trees.readMany(tree, paths),
})
