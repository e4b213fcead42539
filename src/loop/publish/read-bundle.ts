import { deliveryFile, deliveryRef, type BundledCommit } from '../../model/forge/bundle.ts'
import { Delivery } from '../../model/forge/delivery.ts'
import { Fault } from '../../model/fault.ts'
import { CommitId, type TreeId } from '../../model/id.ts'
import type { BundleHeader, CommitNote, Trees } from '../ports.ts'

const mostCommits = 500
const mostDelivery = 8 * 1024 * 1024
const mostNote = 1024 * 1024

export const bundleRefused = (why: string): Fault =>
  new Fault('bundle_refused', `the bundle is refused: ${why}`)

/** What a bundle says of itself, in the form that is known. */
export async function readDelivery({ refs, needs }: BundleHeader, trees: Trees): Promise<Delivery> {
  const at = refs.get(deliveryRef)
  if (at === undefined) throw bundleRefused('it does not say what it delivers')
  const tree = await treeOf(at, trees)
  const size = (await trees.sizes(tree)).get(deliveryFile) ?? 0
  if (size > mostDelivery) throw bundleRefused(`what it says of itself has ${size} bytes`)
  const read = Delivery.safeParse(parseJson((await trees.readMany(tree, [deliveryFile])).get(deliveryFile)))
  if (!read.success) throw bundleRefused('what it says of itself cannot be read')
  if (read.data.base_commit !== needs[0]) throw bundleRefused('it builds on another commit than it says')
  return read.data
}

/** A commit of a bundle, with the trees before and after it. */
export interface ReadCommit extends BundledCommit {
  readonly from: TreeId
  readonly to: TreeId
}

/** The commits from the tip down to the base, each with exactly one parent. */
export async function readCommits(delivery: Delivery, trees: Trees): Promise<readonly ReadCommit[]> {
  const commits: ReadCommit[] = []
  let at = delivery.tip_commit
  while (at !== delivery.base_commit) {
    if (commits.length >= mostCommits) throw bundleRefused(`it has more than ${mostCommits} commits`)
    const { parents, message } = await trees.readCommit(at)
    const [parent, ...others] = parents
    if (parent === undefined || others.length > 0)
      throw bundleRefused(`${at.slice(0, 12)} is a merge, or does not build on the base`)
    const [from, to] = [await treeOf(parent, trees), await treeOf(at, trees)]
    commits.push({ commit: at, message, files: await trees.changes(from, to), from, to })
    at = parent
  }
  return commits
}

/** The notes on a bundle's own commits; one with a note on any other commit is refused. */
export async function readNotes(
  { refs }: BundleHeader,
  commits: readonly BundledCommit[],
  trees: Trees,
): Promise<readonly CommitNote[]> {
  const at = refs.get('refs/notes/fixpoint')
  if (at === undefined) return []
  const tree = await treeOf(at, trees)
  const own = new Set<string>(commits.map(({ commit }) => commit))
  const sizes = await trees.sizes(tree)
  for (const [path, size] of sizes) {
    const commit = path.replaceAll('/', '')
    if (!own.has(commit)) throw bundleRefused('it has a note on a commit that is not its own')
    if (size > mostNote) throw bundleRefused(`its note on ${commit.slice(0, 12)} has ${size} bytes`)
  }
  const texts = await trees.readMany(tree, [...sizes.keys()])
  return [...texts].map(([path, bytes]) => {
    const commit = CommitId.parse(path.replaceAll('/', ''))
    if (parseJson(bytes) === null) throw bundleRefused(`its note on ${commit.slice(0, 12)} cannot be read`)
    return { commit, text: new TextDecoder().decode(bytes) }
  })
}

async function treeOf(commit: CommitId, trees: Trees): Promise<TreeId> {
  const revision = await trees.resolve(commit)
  if (revision) return revision.tree
  throw bundleRefused(`${commit.slice(0, 12)} is no commit`)
}

/** The object that the bytes spell; null when they spell none. */
function parseJson(bytes: Uint8Array | undefined): object | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
