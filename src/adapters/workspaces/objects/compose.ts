import type { Composition } from '../../../loop/ports.ts'
import { TreeId } from '../../../model/id.ts'
import type { Patch } from '../../../model/proof/patch.ts'
import { nameOfBytes, splitNul } from '../git/names.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { editTree, type TreeEdits } from '../plumbing/edit-tree.ts'
import { listDifferences } from '../plumbing/list-differences.ts'
import { writeObject } from '../plumbing/loose-object.ts'
import type { TreeEntry } from '../plumbing/object-reader.ts'

type PatchTrees = Pick<Patch, 'base_tree' | 'tree'>

/** Merges a patch onto a tree in memory. */
export async function composeTrees(
  repository: GitRepository,
  onto: TreeId,
  patch: PatchTrees,
): Promise<Composition> {
  if (patch.tree === patch.base_tree || patch.tree === onto) return { tree: onto }
  if (onto === patch.base_tree) return { tree: patch.tree }
  const edits = await findPlainEdits(repository, onto, patch)
  return edits ? { tree: await editTree(repository, onto, edits) } : mergeTrees(repository, onto, patch)
}

/** What to put where, when the patch only changes files that are the same in both trees: then there is nothing to merge. */
async function findPlainEdits(
  { objects }: GitRepository,
  onto: TreeId,
  patch: PatchTrees,
): Promise<TreeEdits | null> {
  const edits = new Map<string, TreeEntry | null>()
  for (const { path, before, after } of await listDifferences(objects, patch.base_tree, patch.tree)) {
    if (!before || !after) return null
    const there = await objects.find(onto, path)
    if (there?.oid !== before.oid || there.mode !== before.mode) return null
    edits.set(path, after)
  }
  return edits
}

/** Lets git merge, through synthetic commits that give it the common base. */
async function mergeTrees(repository: GitRepository, onto: TreeId, patch: PatchTrees): Promise<Composition> {
  const base = await writeScratchCommit(repository, patch.base_tree)
  const ours = await writeScratchCommit(repository, onto, base)
  const theirs = await writeScratchCommit(repository, patch.tree, base)
  const merged = await repository.owned.run(
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs],
    { answers: [1] },
  )
  const [tree, ...paths] = splitNul(merged.stdout)
  if (merged.exitCode === 0) return { tree: TreeId.parse(tree?.toString('latin1')) }
  return { conflicts: [...new Set(paths.filter((path) => path.length > 0).map(nameOfBytes))] }
}

// Fixed, so that the same trees make the same commit.
const WHO = 'Fixpoint <fixpoint@localhost> 0 +0000'

/** A commit that only tells `git merge-tree` which trees to merge; no ref ever leads to it. */
function writeScratchCommit(
  { owned, oidBytes }: GitRepository,
  tree: TreeId,
  parent?: string,
): Promise<string> {
  const parents = parent === undefined ? [] : [`parent ${parent}`]
  const lines = [`tree ${tree}`, ...parents, `author ${WHO}`, `committer ${WHO}`, '', 'compose\n']
  return writeObject(owned, oidBytes, { type: 'commit', bytes: Buffer.from(lines.join('\n')) })
}
