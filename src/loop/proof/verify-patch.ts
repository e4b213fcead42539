import type { AttemptAt, AttemptEvent, Revision } from '../../model/attempt/attempt.ts'
import { gradeEvidence } from '../../model/proof/evidence.ts'
import type { Gate } from '../../model/proof/gate.ts'
import { pathsOfBase, pathsOfFix } from '../../model/proof/owned-paths.ts'
import type { CheckCommand, Verification } from '../../model/proof/verification.ts'
import { isUnopposed } from '../../model/proof/judge-verification.ts'
import { issueOf, type SessionContext } from '../context/session-context.ts'
import type { JudgedPatch } from '../gates/gate-definition.ts'
import { readJudgedPatch } from '../gates/read-patch.ts'
import { runGates } from '../gates/run-gates.ts'
import { verificationGate } from '../gates/verification.ts'
import { findBorrowedPaths } from './borrowed-paths.ts'
import { proveByHidden } from './hidden-test.ts'
import { refuseUnfixed, whyUnfixed, type Unfixed } from './unfixed.ts'
import { verifyToExtent } from './verify-extent.ts'

type PatchContext = Pick<SessionContext, 'issues' | 'recorder' | 'ports' | 'verifier' | 'endNow'>

/** Runs the commands on a patch, with the base's own tests and with those it brings, and asks the tool that raised the issue again. */
export async function verifyPatch(
  attempt: AttemptAt<'verifying'>,
  context: PatchContext,
): Promise<AttemptEvent> {
  const { ports, endNow: signal } = context
  const { patch, base, bundle, approved } = attempt
  const issue = issueOf(context, attempt)
  const session = context.recorder.session()
  const others = (bundle ?? []).flatMap(({ issue_id }) => context.issues.get(issue_id) ?? [])
  const given = { patch, base, issue, others, session, bundle, approved, signal }
  const read = await readJudgedPatch(given, ports)
  const { commands } = read.limits
  const borrowed = await borrowedBy(attempt, read, context)
  const { chosen, green, able } = await verifyToExtent(attempt, { borrowed, commands }, context)
  const judged = await addReproduction(able, attempt, context)
  const commandsThere = async (): Promise<readonly CheckCommand[]> =>
    (await chosen.commandsOn?.(patch.tree)) ?? (chosen.extent?.runs === 'none' ? [] : commands)
  const { min_evidence: minEvidence, requires_reproduction = false } = attempt.policy
  const asked = {
    patch: read,
    verified: {
      verification: judged,
      minEvidence,
      requiresReproduction: requires_reproduction,
      claim: null,
      passed: async () =>
        passedTests({ commit: base.commit, tree: patch.tree }, await commandsThere(), context),
    },
  }
  const gates = await runGates(asked, { only: 'verification' })
  const unfixed =
    isUnproven(judged, gates) && !green.proof && !isAllowed(attempt)
      ? await whyUnfixed(attempt, { patch, verification: judged, commandsOn: chosen.commandsOn }, context)
      : null
  if (unfixed === null) return { type: 'verified', verification: judged, gates }
  return {
    type: 'verified',
    verification: refuseUnfixed(judged, unfixed.reason),
    gates: [refusedBy(unfixed), ...gates.filter(({ name }) => name !== verificationGate.name)],
  }
}

/** A green verification with the results of the tests that other agents wrote for its issues before the fix. */
async function addReproduction(
  verification: Verification,
  { base, patch, approved, reproduction, bundle = [] }: AttemptAt<'verifying'>,
  { ports, recorder, endNow: signal }: PatchContext,
): Promise<Verification> {
  if (!isUnopposed(verification)) return verification
  const others = recorder.attempts().filter(({ id }) => bundle.some(({ attempt_id }) => attempt_id === id))
  const known = [reproduction, ...others.map((other) => other.reproduction)]
  const tests = known.flatMap((each) => each?.test ?? [])
  if (tests.length === 0) return verification
  const allowed = approved?.paths ?? []
  const whole = verification.alone?.tree ?? patch.tree
  const request = {
    tree: await ports.composer.restore(whole, base.tree, pathsOfBase(patch, allowed)),
    base,
    fix: pathsOfFix(patch, allowed),
    commands: recorder.session().options.commands,
    isJudged: verification.judge?.status === 'passed',
    signal,
  }
  const seen: Reproduced[] = []
  for (const test of tests) seen.push(await proveByHidden(test, request, ports))
  const missing: Reproduced = {
    status: 'not_evaluated',
    reason: 'not every issue of the patch has a test of its own',
  }
  return { ...verification, reproduction: worstOf(tests.length < known.length ? [...seen, missing] : seen) }
}

type Reproduced = NonNullable<Verification['reproduction']>

const worstFirst: readonly Reproduced['status'][] = ['failed', 'not_evaluated', 'passed']

const worstOf = (all: readonly Reproduced[]): Reproduced =>
  all.reduce((a, b) => (worstFirst.indexOf(b.status) < worstFirst.indexOf(a.status) ? b : a))

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
  if (commands.length === 0) return []
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
