import type { Composition } from '../../../loop/ports.ts'
import { TreeId } from '../../../model/id.ts'
import type { Patch } from '../../../model/patch.ts'
import type { Git } from '../git/git.ts'
import { nameOfBytes, splitNul } from '../git/names.ts'
import { writeScratchCommit } from './scratch-commit.ts'

/** Merges a patch onto a tree in memory, through synthetic commits that give git the common base. */
export async function composeTrees(
  git: Git,
  onto: TreeId,
  patch: Pick<Patch, 'base_tree' | 'tree'>,
): Promise<Composition> {
  if (patch.tree === patch.base_tree || patch.tree === onto) return { tree: onto }
  if (onto === patch.base_tree) return { tree: patch.tree }
  const base = await writeScratchCommit(git, patch.base_tree)
  const ours = await writeScratchCommit(git, onto, [base])
  const theirs = await writeScratchCommit(git, patch.tree, [base])
  const merged = await git.run(
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs],
    { answers: [1] },
  )
  const [tree, ...paths] = splitNul(merged.stdout)
  if (merged.exitCode === 0) return { tree: TreeId.parse(tree?.toString('latin1')) }
  return { conflicts: [...new Set(paths.filter((path) => path.length > 0).map(nameOfBytes))] }
}
