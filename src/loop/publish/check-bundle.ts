import { commitFlaw, missingCommits, refsFlaw } from '../../model/forge/bundle.ts'
import type { Delivery } from '../../model/forge/delivery.ts'
import { isOwnBody } from '../../model/forge/pull-request-text.ts'
import { readChanges } from '../gates/read-patch.ts'
import type {
  Branches,
  BundleHeader,
  Bundles,
  CommitNote,
  Forge,
  PatchInspector,
  Remote,
  Trees,
} from '../ports.ts'
import { bundleRefused, readCommits, readDelivery, readNotes, type ReadCommit } from './read-bundle.ts'

export interface BundlePorts {
  readonly bundles: Pick<Bundles, 'header' | 'unpack'>
  readonly trees: Trees
  readonly branches: Pick<Branches, 'check'>
  readonly inspector: Pick<PatchInspector, 'findSecrets'>
  readonly remote: Pick<Remote, 'tip' | 'fetch'>
  readonly forge: Pick<Forge, 'about' | 'pulls'>
  /** Whether a text that is not code holds a key, a token or a password. */
  readonly hasSecret: (text: string) => Promise<boolean>
}

export interface CheckedBundle {
  readonly delivery: Delivery
  readonly notes: readonly CommitNote[]
}

/**
 * Reads a bundle that anybody may have made. Nothing in it is run, and nothing is believed: git's own objects are
 * compared with the bundle's words and with the remote. A fault names the first thing that is wrong.
 */
export async function checkBundle(
  bytes: Uint8Array,
  { base }: { readonly base: string | null },
  ports: BundlePorts,
): Promise<CheckedBundle> {
  const { trees } = ports
  const header = ports.bundles.header(bytes)
  const { defaultBranch } = await ports.forge.about()
  await findBase(header, [base ?? defaultBranch, defaultBranch], ports)
  await ports.bundles.unpack(bytes)
  const delivery = await readDelivery(header, trees)
  refuseIf(refsFlaw([...header.refs.keys()], delivery))
  const tip = header.refs.get(`refs/heads/${delivery.branch}`)
  refuseIf(tip === delivery.tip_commit ? null : 'its branch ends elsewhere than it says')
  await checkBranch(delivery, ports)
  await checkOnRemote(delivery, base ?? delivery.base_branch ?? defaultBranch, ports)
  const commits = await readCommits(delivery, trees)
  const notes = await readNotes(header, commits, trees)
  await checkCommits(commits, delivery, ports)
  for (const { commit, text } of notes)
    refuseIf((await ports.hasSecret(text)) ? `its note on ${commit.slice(0, 12)} holds a secret` : null)
  return { delivery, notes }
}

function refuseIf(flaw: string | null): void {
  if (flaw !== null) throw bundleRefused(flaw)
}

/** The commits that the bundle builds on have to be here before git can take it in; the missing ones are fetched from the remote. */
async function findBase(
  { needs }: BundleHeader,
  branches: readonly string[],
  { trees, remote }: BundlePorts,
): Promise<void> {
  const [need, ...others] = needs
  if (need === undefined || others.length > 0) throw bundleRefused('it does not build on exactly one commit')
  for (const branch of new Set(branches)) {
    if (await trees.resolve(need)) return
    await remote.fetch(`refs/heads/${branch}`)
  }
  const isHere = (await trees.resolve(need)) !== null
  refuseIf(isHere ? null : `it builds on ${need.slice(0, 12)}, which ${branches[0]} does not have`)
}

/** A new branch, the same one again, or one that Fixpoint has a pull request for: no branch of anybody else's. */
async function checkBranch(
  { branch, tip_commit }: Delivery,
  { branches, remote, forge }: BundlePorts,
): Promise<void> {
  const state = await branches.check(branch)
  refuseIf(state.state === 'invalid' ? state.reason : null)
  const there = await remote.tip(`refs/heads/${branch}`)
  if (there === null || there === tip_commit) return
  const pulls = await forge.pulls.list(branch)
  const isOurs = pulls.some((pull) => pull.state === 'open' && isOwnBody(pull.body))
  refuseIf(isOurs ? null : `${branch} is there already, and no pull request of Fixpoint is open for it`)
}

async function checkOnRemote(
  { base_commit }: Delivery,
  base: string,
  { trees, remote }: BundlePorts,
): Promise<void> {
  const tip = await remote.fetch(`refs/heads/${base}`)
  if (tip === null) throw bundleRefused(`there is no branch ${JSON.stringify(base)} to merge into`)
  const isThere = await trees.isReached(base_commit, tip)
  refuseIf(isThere ? null : `it builds on ${base_commit.slice(0, 12)}, which ${base} does not have`)
}

/** Each commit by itself: a text that one commit adds and the next one removes would be published all the same. */
async function checkCommits(
  commits: readonly ReadCommit[],
  delivery: Delivery,
  { trees, inspector, hasSecret }: BundlePorts,
): Promise<void> {
  refuseIf(commits.length === 0 ? 'it has no commits' : null)
  for (const commit of commits) refuseIf(commitFlaw(commit, delivery))
  const [missing] = missingCommits(delivery, commits)
  refuseIf(missing === undefined ? null : `its branch does not have ${missing.slice(0, 12)}`)
  for (const { commit, message, files, from, to } of commits) {
    const name = commit.slice(0, 12)
    const changes = await readChanges({ base_tree: from, tree: to, files, refused: [] }, trees)
    const found = await inspector.findSecrets(changes)
    if ('unscanned' in found) throw bundleRefused(`secrets could not be looked for: ${found.unscanned}`)
    refuseIf(found[0] ? `${name} adds a secret to ${found[0].path}` : null)
    refuseIf((await hasSecret(message)) ? `the message of ${name} holds a secret` : null)
  }
}
