import type { Revision } from '../../model/attempt/attempt.ts'
import type { TreeId } from '../../model/id.ts'
import type { CommitCheck } from '../../model/proof/commit-verdict.ts'
import { parseCommitTrailers, type CommitTrailers } from '../../model/proof/commit-trailers.ts'
import type { Ports } from '../ports.ts'

export interface ClaimedCommit {
  readonly revision: Revision
  readonly parent: Revision
  readonly trailers: Pick<CommitTrailers, 'verified_tree' | 'verified_base'>
  /** Whether a note says what was verified, for commits that do not say it themselves. */
  readonly isNoted: boolean
}

export interface TiedCommit {
  readonly check: CommitCheck
  /** The commit with the verified tree: this one, or the last of its train. Null where it is not here. */
  readonly tip: Revision | null
}

type TiePorts = Pick<Ports, 'trees' | 'composer'>

/**
 * Whether a commit is what its trailers say was verified. Its own tree counts, or that of the last commit of its train;
 * one that was put on another base since must give the verified tree when it is put on its own again.
 */
export async function tieCommit(claimed: ClaimedCommit, ports: TiePorts): Promise<TiedCommit> {
  const { verified_tree: tree, verified_base: base } = claimed.trailers
  if (!tree || !base) return claimed.isNoted ? tie('not_applicable', onlyNoted) : tie('not_evaluated', untied)
  const train = await readTrain(claimed, tree, ports)
  const tip = train.commits.find((commit) => commit.tree === tree) ?? null
  const [short, ground] = [tree.slice(0, 10), base.slice(0, 10)]
  if (tip && train.onto.commit === base)
    return {
      check: say('passed', `the tree ${short} was verified against ${ground}, and is ${whose(tip, claimed)}`),
      tip,
    }
  if (train.onto.commit === base)
    return tie(
      'failed',
      `its tree is not the one that was verified (${short}), and no commit of its train here has that tree: something was added or changed since`,
    )
  const own = await ports.trees.resolve(base)
  if (!own)
    return tie(
      'not_evaluated',
      `it was put on another base since, and the one it was verified on (${ground}) is not here`,
    )
  const composed = await composeOn(own.tree, train, ports)
  return composed === tree
    ? tie(
        'passed',
        `it was put on another base since; on ${ground} it gives the verified tree ${short} again`,
      )
    : tie(
        'failed',
        `put on the base it was verified on (${ground}), it does not give the verified tree ${short}: something was added or changed since`,
      )
}

const onlyNoted = 'the commit itself does not say which tree was verified; its note does'
const untied =
  'the trailers Verified-Tree: and Verified-Base: are missing, so nothing ties it to what was verified'

const say = (status: CommitCheck['status'], reason: string): CommitCheck => ({ name: 'tree', status, reason })
const tie = (status: CommitCheck['status'], reason: string): TiedCommit => ({
  check: say(status, reason),
  tip: null,
})

const whose = (tip: Revision, { revision }: ClaimedCommit): string =>
  tip.commit === revision.commit ? 'its own' : `that of ${tip.commit.slice(0, 10)}, the last of its train`

interface Train {
  /** What the first of them was put on. */
  readonly onto: Revision
  readonly commits: readonly Revision[]
}

/** A train has at most 32 commits. */
const mostCommits = 64

/** The commits around one that name the same verified tree, in order. */
async function readTrain(
  { revision, parent }: ClaimedCommit,
  tree: TreeId,
  { trees }: TiePorts,
): Promise<Train> {
  const commits = [revision]
  let onto = parent
  while (commits.length < mostCommits && (await namesTree(onto, tree, trees))) {
    const [before] = (await trees.readCommit(onto.commit)).parents
    const next = before && (await trees.resolve(before))
    if (!next) break
    commits.unshift(onto)
    onto = next
  }
  for (const next of (await trees.builtOn(revision.commit)).slice(0, mostCommits)) {
    if (!(await namesTree(next, tree, trees))) break
    commits.push(next)
  }
  return { onto, commits }
}

const namesTree = async ({ commit }: Revision, tree: TreeId, trees: TiePorts['trees']): Promise<boolean> =>
  parseCommitTrailers((await trees.readCommit(commit)).message)?.verified_tree === tree

/** The tree that the changes of a train make of another one; null where they do not fit on it. */
async function composeOn(
  own: TreeId,
  { onto, commits }: Train,
  { composer }: TiePorts,
): Promise<TreeId | null> {
  let [tree, base] = [own, onto.tree]
  for (const commit of commits) {
    const composed = await composer.compose(tree, { base_tree: base, tree: commit.tree })
    if (!('tree' in composed)) return null
    ;[tree, base] = [composed.tree, commit.tree]
  }
  return tree
}
