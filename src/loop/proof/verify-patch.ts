import type { AttemptAt, AttemptEvent, Revision } from '../../model/attempt/attempt.ts'
import { gradeEvidence } from '../../model/proof/evidence.ts'
import type { Gate } from '../../model/proof/gate.ts'
import { approvedPaths, pathsOfBase, pathsOfFix } from '../../model/proof/owned-paths.ts'
import { touchedPaths, type Patch } from '../../model/proof/patch.ts'
import type { Proof } from '../../model/proof/proof.ts'
import { withTest } from '../../model/attempt/reproduction.ts'
import type { CheckCommand, Verification } from '../../model/proof/verification.ts'
import { issueOf, type SessionContext } from '../context/session-context.ts'
import type { JudgedPatch } from '../gates/gate-definition.ts'
import { readJudgedPatch } from '../gates/read-patch.ts'
import { runGates } from '../gates/run-gates.ts'
import { verificationGate } from '../gates/verification.ts'
import type { Ports } from '../ports.ts'
import { checkJudge } from './can-fail.ts'
import { findBorrowedPaths } from './borrowed-paths.ts'
import { refuseUnfixed, whyUnfixed, type Unfixed } from './unfixed.ts'

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
  const { base, bundle, approved } = attempt
  const issue = issueOf(context, attempt)
  const session = context.recorder.session()
  const given = { patch, base, issue, session, bundle, approved, signal: context.endNow }
  const read = await readJudgedPatch(given, ports)
  const green = await verifyTree(
    attempt,
    { patch, borrowed: await borrowedBy(attempt, read, context) },
    context,
  )
  const { commands } = read.limits
  const judged = await checkJudge(green, { patch, base, commands, signal: context.endNow }, ports)
  const asked = {
    patch: read,
    verified: {
      verification: judged,
      minEvidence: attempt.policy.min_evidence,
      claim: null,
      passed: () => passedTests({ commit: base.commit, tree: patch.tree }, commands, context),
    },
  }
  const gates = await runGates(asked, { only: 'verification' })
  const unfixed =
    isUnproven(judged, gates) && !green.proof && !isAllowed(attempt)
      ? await whyUnfixed(attempt, { patch, verification: judged }, context)
      : null
  const verification = unfixed === null ? judged : refuseUnfixed(judged, unfixed.reason)
  const diff = tested && (await ports.trees.diff(tested.base_tree, tested.tree, keptDiff))
  return {
    type: 'verified',
    verification,
    gates:
      unfixed === null
        ? gates
        : [refusedBy(unfixed), ...gates.filter(({ name }) => name !== verificationGate.name)],
    ...(tested && diff !== null && { tested: { patch: tested, diff } }),
  }
}

/** What the patch changes that has nothing to do with the files of its issues. */
function borrowedBy(
  { issue_id, bundle = [], approved }: AttemptAt<'verifying'>,
  { patch, changes, limits }: JudgedPatch,
  { issues, ports, endNow: signal }: PatchContext,
): Promise<readonly string[]> {
  const ids = [issue_id, ...bundle.map((other) => other.issue_id)]
  const cited = ids.flatMap((id) => issues.get(id)?.file ?? [])
  const { commands } = limits
  return findBorrowedPaths(
    { patch, changes, cited, approved: approved?.paths ?? [], commands, signal },
    ports,
  )
}

/** The tests that pass by name on a tree that the commands ran on. */
async function passedTests(
  revision: Revision,
  commands: readonly CheckCommand[],
  { verifier, endNow }: PatchContext,
): Promise<readonly string[]> {
  const runs = await verifier.run(revision, commands, endNow)
  return runs.flatMap(({ tests }) =>
    (tests?.tests ?? []).flatMap(({ name, status }) => (status === 'passed' ? [name] : [])),
  )
}

/** Whether the commands are green and nothing shows more than that. */
const isUnproven = (verification: Verification, gates: readonly Gate[]): boolean =>
  gradeEvidence(verification, gates) === 'E1'

const refusedBy = ({ reason, mayBeAllowed }: Unfixed): Gate => ({
  name: verificationGate.name,
  status: 'failed',
  reason,
  ...(mayBeAllowed && {
    asks: { whom: 'fixer_first', question: 'Are these red tests about something else, and is this the fix?' },
  }),
})

const isAllowed = ({ gates }: AttemptAt<'verifying'>): boolean =>
  gates.some(({ name, approved_by }) => name === verificationGate.name && approved_by !== undefined)

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
  { patch, borrowed }: { readonly patch: Patch; readonly borrowed: readonly string[] },
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
    borrowed,
    signal: endNow,
  })
  const { proof } = verification
  if (!proof) return verification
  const isReproduced = proof.tests.some((test) => reproduction?.test?.tests.includes(test))
  const source: Proof['source'] = proof.source === 'added' && isReproduced ? 'reproduced' : proof.source
  return { ...verification, proof: { ...proof, source } }
}
