import type { Revision } from '../../model/attempt/attempt.ts'
import type { TreeId } from '../../model/id.ts'
import { approvedPaths, pathsOfBase } from '../../model/proof/owned-paths.ts'
import { touchedPaths } from '../../model/proof/patch.ts'
import { mayLandUnverified } from '../../model/proof/evidence.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { Verifier, VerifierRequest } from '../context/verifier.ts'
import type { Accepted, ComposeTrain, Composed } from './compose-train.ts'
import { findCulprits, type Sorted, type Tried } from './find-culprits.ts'
import { findSuspects, type SuspectPorts } from './find-suspects.ts'

/** Why some patches do not land together: the checks are not green, or the patches do not fit on each other. */
export type Red = { readonly verification: Verification } | { readonly paths: readonly string[] }

export interface TrainCheck {
  readonly compose: ComposeTrain
  readonly verifier: Verifier
  readonly tip: Revision
  readonly ports: SuspectPorts
  readonly signal: AbortSignal
  readonly onOutput?: NonNullable<VerifierRequest['onOutput']>
}

export interface CheckedTrain extends Sorted<Accepted, Red> {
  /** What the verification of each green tree said. */
  readonly green: ReadonlyMap<TreeId, Verification>
}

/** Verifies a composed train as a whole, and finds the culprits when it is not green. Null when stopped. */
export async function checkTrain(
  train: readonly Accepted[],
  { compose, verifier, tip, ports, signal, onOutput }: TrainCheck,
): Promise<CheckedTrain | null> {
  const green = new Map<TreeId, Verification>()
  const tryTogether = async (attempts: readonly Accepted[]): Promise<Tried<Red> | null> => {
    const composed = await compose(attempts)
    const [conflict] = composed.conflicts
    if (conflict) return { green: false, why: { paths: conflict.paths } }
    const tree = treeOf(composed, tip)
    const verification = await verifier.verify({
      revision: { commit: tip.commit, tree },
      against: tip,
      changed: attempts.flatMap(({ patch }) => touchedPaths(patch)),
      restore: [{ tree: tip.tree, paths: ownedPaths(attempts, pathsOfBase) }],
      approved: { tree, paths: ownedPaths(attempts, approvedPaths) },
      proofs: attempts.flatMap((attempt) => attempt.verification.proof ?? []),
      signal,
      ...(onOutput && { onOutput }),
    })
    if (signal.aborted) return null
    if (!isGreen(verification, attempts)) return { green: false, why: { verification } }
    green.set(verification.tree, verification)
    return { green: true }
  }
  const suspects = (why: Red) =>
    'paths' in why ? new Set<Accepted>() : findSuspects(why.verification, { train, signal }, ports)
  const sorted = await findCulprits(train, { tryTogether, suspects })
  return sorted && { ...sorted, green }
}

/** Existing tests that the patches edit, parted by whether a person allowed one of them to. */
function ownedPaths(attempts: readonly Accepted[], part: typeof pathsOfBase): readonly string[] {
  const approved = attempts.flatMap((attempt) => attempt.approved?.paths ?? [])
  return [...new Set(attempts.flatMap(({ patch }) => part(patch, approved)))]
}

const treeOf = ({ wagons }: Composed, tip: Revision): TreeId => wagons.at(-1)?.tree ?? tip.tree

const isGreen = (verification: Verification, attempts: readonly Accepted[]): boolean =>
  verification.status === 'passed' ||
  attempts.every(({ policy: { min_evidence } }) =>
    mayLandUnverified({ min_evidence, commands: verification.commands }),
  )
