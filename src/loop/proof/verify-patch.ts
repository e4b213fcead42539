import type { AttemptAt, AttemptEvent } from '../../model/attempt/attempt.ts'
import type { Gate } from '../../model/proof/gate.ts'
import { approvedPaths, pathsOfBase, pathsOfFix } from '../../model/proof/owned-paths.ts'
import { touchedPaths, type Patch } from '../../model/proof/patch.ts'
import type { Proof } from '../../model/proof/proof.ts'
import { withTest } from '../../model/attempt/reproduction.ts'
import type { Verification } from '../../model/proof/verification.ts'
import { originGate } from '../gates/origin.ts'
import { issueOf, type SessionContext } from '../context/session-context.ts'
import type { Ports } from '../ports.ts'
import { refuseUnfixed, whyUnfixed } from './unfixed.ts'

type PatchContext = Pick<SessionContext, 'issues' | 'recorder' | 'ports' | 'verifier' | 'endNow'>

/** How much of a diff is kept with the round. */
const keptDiff = 65_536

/** Runs the commands on a patch, with the base's own tests and with those it brings, and asks the tool that raised the issue again. */
export async function verifyPatch(
  attempt: AttemptAt<'verifying'>,
  context: PatchContext,
): Promise<AttemptEvent> {
  const { ports } = context
  const tested = await addTest(attempt, ports)
  const patch = tested ?? attempt.patch
  const judged = await verifyTree(attempt, patch, context)
  const isUnverifiedByChoice = judged.commands.length === 0 && attempt.policy.min_evidence === 'E0'
  const isAsked = judged.status === 'passed' || isUnverifiedByChoice
  const origin = isAsked ? await askOrigin(attempt, patch, context) : null
  const isProven = judged.proof !== undefined || origin?.status === 'passed'
  const unfixed =
    judged.status === 'passed' && !isProven
      ? await whyUnfixed(attempt, { patch, verification: judged }, context)
      : null
  const verification = unfixed === null ? judged : refuseUnfixed(judged, unfixed)
  const gates: Gate[] = [
    { name: 'verification', status: verification.status, reason: verification.reason },
    ...(origin ? [origin] : []),
  ]
  const diff = tested && (await ports.trees.diff(tested.base_tree, tested.tree, keptDiff))
  return {
    type: 'verified',
    verification,
    gates,
    ...(tested && diff !== null && { tested: { patch: tested, diff } }),
  }
}

function askOrigin(attempt: AttemptAt<'verifying'>, patch: Patch, context: PatchContext): Promise<Gate> {
  const { base } = attempt
  const issue = issueOf(context, attempt)
  const patched = { commit: base.commit, tree: patch.tree }
  const files = [...new Set([...touchedPaths(patch), ...(issue.file ? [issue.file] : [])])]
  return originGate(context.ports.origins, { issue, base, patched, files, signal: context.endNow })
}

/** The patch with the test that reproduces the problem, unless something else has taken its place meanwhile. */
async function addTest(
  { patch, base, reproduction }: AttemptAt<'verifying'>,
  { trees, composer }: Ports,
): Promise<Patch | null> {
  const test = reproduction?.test
  if (!test) return null
  const paths = touchedPaths(test)
  const taken = await trees.list(base.tree)
  if (paths.some((path) => taken.has(path))) return null
  return withTest(patch, await composer.restore(patch.tree, test.tree, paths), test)
}

async function verifyTree(
  { base, approved, reproduction }: AttemptAt<'verifying'>,
  patch: Patch,
  { verifier, endNow }: PatchContext,
): Promise<Verification> {
  const allowed = approved?.paths ?? []
  const verification = await verifier.verify({
    revision: { commit: base.commit, tree: patch.tree },
    against: base,
    changed: touchedPaths(patch),
    restore: [{ tree: base.tree, paths: pathsOfBase(patch, allowed) }],
    // As it was when it was allowed: what was changed since is not.
    ...(approved && { approved: { tree: approved.tree, paths: approvedPaths(patch, allowed) } }),
    fix: pathsOfFix(patch, allowed),
    signal: endNow,
  })
  const { proof } = verification
  if (!proof) return verification
  const isReproduced = proof.tests.some((test) => reproduction?.test?.tests.includes(test))
  const source: Proof['source'] = proof.source === 'added' && isReproduced ? 'reproduced' : proof.source
  return { ...verification, proof: { ...proof, source } }
}
