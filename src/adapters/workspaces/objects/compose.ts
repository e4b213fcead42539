import type { Composition } from '../../../loop/ports.ts'
import { TreeId } from '../../../model/id.ts'
import type { Patch } from '../../../model/patch.ts'
import type { Git } from '../git/git.ts'
import { nameOfBytes, splitNul } from '../git/names.ts'

// Fixed, so that composing the same trees makes the same throw-away commits.
const env = {
  GIT_AUTHOR_NAME: 'Fixpoint',
  GIT_AUTHOR_EMAIL: 'fixpoint@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'Fixpoint',
  GIT_COMMITTER_EMAIL: 'fixpoint@localhost',
  GIT_COMMITTER_DATE: '@0 +0000',
}

/** Merges a patch onto a tree in memory, through synthetic commits that give git the common base. */
export async function composeTrees(
  git: Git,
  onto: TreeId,
  patch: Pick<Patch, 'base_tree' | 'tree'>,
): Promise<Composition> {
  if (patch.tree === patch.base_tree || patch.tree === onto) return { tree: onto }
  if (onto === patch.base_tree) return { tree: patch.tree }
  const commit = (tree: TreeId, ...parents: string[]) =>
    git.text(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])], {
      env,
      stdin: 'compose\n',
    })
  const base = await commit(patch.base_tree)
  const [ours, theirs] = await Promise.all([commit(onto, base), commit(patch.tree, base)])
  const merged = await git.run(
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs],
    { env, answers: [1] },
  )
  const [tree, ...paths] = splitNul(merged.stdout)
  if (merged.exitCode === 0) return { tree: TreeId.parse(tree?.toString('latin1')) }
  return { conflicts: [...new Set(paths.filter((path) => path.length > 0).map(nameOfBytes))] }
}
