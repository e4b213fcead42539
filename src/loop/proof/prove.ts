import type { Revision } from '../../model/attempt/attempt.ts'
import type { TreeId } from '../../model/id.ts'
import { proofFrom } from '../../model/proof/prove.ts'
import type { CommandRun, Proof } from '../../model/proof/verification.ts'
import type { Composer } from '../ports.ts'

export interface ProofRequest {
  readonly revision: Revision
  readonly against: Revision
  /** The paths that the fix itself changes. */
  readonly fix: readonly string[]
  /** The tests that it brings. */
  readonly newTests?: readonly string[] | undefined
  readonly baseline: readonly CommandRun[]
  /** The fix with the base's own tests. */
  readonly own: { readonly tree: TreeId; readonly runs: readonly CommandRun[] }
  /** The fix with its own. */
  readonly whole: readonly CommandRun[]
}

export interface ProofTools {
  readonly composer: Pick<Composer, 'restore'>
  readonly run: (revision: Revision) => Promise<readonly CommandRun[]>
}

/** A test that was red before the fix, or one that it brought and that fails once its source hunks are taken away. */
export async function findProof(request: ProofRequest, tools: ProofTools): Promise<Proof | null> {
  const { revision, against, whole } = request
  const existing = await findExisting(request, tools)
  // Without names there is nothing that could be compared, so nothing is run.
  if (existing || !whole.some(({ tests }) => tests?.failures_named)) return existing
  const reverted = await tools.composer.restore(revision.tree, against.tree, request.fix)
  if (reverted === against.tree || reverted === revision.tree) return null
  const red = await tools.run({ ...revision, tree: reverted })
  return proofFrom('added', { red, redTree: reverted, green: whole, greenTree: revision.tree })
}

/** A test that was red before the fix and is green with it, also without the tests that the fix brings: those may help it along. */
async function findExisting(
  { revision, against, baseline, own, newTests = [] }: ProofRequest,
  { composer, run }: ProofTools,
): Promise<Proof | null> {
  const red = { red: baseline, redTree: against.tree }
  const first = proofFrom('existing', { ...red, green: own.runs, greenTree: own.tree })
  if (!first || newTests.length === 0) return first
  const tree = await composer.restore(own.tree, against.tree, newTests)
  return proofFrom('existing', { ...red, green: await run({ ...revision, tree }), greenTree: own.tree })
}
