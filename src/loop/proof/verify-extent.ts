import type { AttemptAt, Revision } from '../../model/attempt/attempt.ts'
import { approvedPaths, pathsOfBase, pathsOfFix, pathsOfNewTests } from '../../model/proof/owned-paths.ts'
import { touchedPaths } from '../../model/proof/patch.ts'
import type { CheckCommand, Verification } from '../../model/proof/verification.ts'
import { isUnopposed } from '../../model/proof/judge-verification.ts'
import { aboutTime } from '../context/about-time.ts'
import type { SessionContext } from '../context/session-context.ts'
import { chooseExtent, runWhole, type ChosenExtent } from './extent/choose-extent.ts'
import { checkJudge } from './judging/can-fail.ts'
import { keepOwnProof } from './own-proof.ts'
import { findProof } from './prove.ts'

type ExtentContext = Pick<SessionContext, 'recorder' | 'ports' | 'verifier' | 'endNow'>

export interface ExtentGiven {
  /** What the patch changes that has nothing to do with the cited files. */
  readonly borrowed: readonly string[]
  /** All that are configured. */
  readonly commands: readonly CheckCommand[]
}

export interface VerifiedToExtent {
  readonly chosen: ChosenExtent
  /** The results of the commands, as far as they ran. */
  readonly green: Verification
  /** The same, once it was seen whether the checks could have failed. */
  readonly able: Verification
}

/** Runs as much of the commands on a patch as its session's strategy asks for, and sees whether they could have failed. */
export async function verifyToExtent(
  attempt: AttemptAt<'verifying'>,
  given: ExtentGiven,
  context: ExtentContext,
): Promise<VerifiedToExtent> {
  const chosen = await chooseExtentOf(attempt, given.borrowed, context)
  const verified = await verifyAndJudge(attempt, { ...given, chosen }, context)
  if (chosen.extent?.runs !== 'none' || isUnopposed(verified.able)) return verified
  // A patch that breaks its tests can look as if it had switched them off; running all of them shows which.
  const again = runWhole('a test that must fail was not seen to')
  return verifyAndJudge(attempt, { ...given, chosen: again }, context)
}

async function verifyAndJudge(
  attempt: AttemptAt<'verifying'>,
  { borrowed, commands, chosen }: ExtentGiven & Pick<VerifiedToExtent, 'chosen'>,
  context: ExtentContext,
): Promise<VerifiedToExtent> {
  const { ports, endNow: signal } = context
  const { patch, base } = attempt
  const seen = await verifyChosen(attempt, { ...chosen, borrowed }, context)
  const green = await keepOwnProof(seen, { patch, signal }, ports)
  return { chosen, green, able: await checkJudge(green, { patch, base, commands, signal }, ports) }
}

/** How much runs on this attempt. */
function chooseExtentOf(
  { patch, base, approved, feedback }: AttemptAt<'verifying'>,
  borrowed: readonly string[],
  { recorder, verifier, ports, endNow: signal }: ExtentContext,
): Promise<ChosenExtent> {
  const { verify_strategy: strategy = 'each' } = recorder.session().options
  const wasRedTogether = feedback.some(
    ({ stage, next_step }) => stage === 'landing' && next_step !== 'begin_again',
  )
  const allowed = approved?.paths ?? []
  const request = { strategy, patch, base, borrowed, approved: allowed, wasRedTogether, signal }
  return chooseExtent(request, verifier, ports)
}

interface Chosen extends ChosenExtent {
  readonly borrowed: readonly string[]
}

async function verifyChosen(
  attempt: AttemptAt<'verifying'>,
  chosen: Chosen,
  context: ExtentContext,
): Promise<Verification> {
  const { extent, commandsOn, borrowed } = chosen
  if (extent?.runs === 'none') return leaveToTrain(attempt, chosen, context)
  const { base, approved, patch } = attempt
  const allowed = approved?.paths ?? []
  await publishPart(attempt, chosen, context)
  const verification = await context.verifier.verify({
    revision: { commit: base.commit, tree: patch.tree },
    against: base,
    changed: touchedPaths(patch),
    ...(commandsOn && { commandsOn }),
    restore: [{ tree: base.tree, paths: pathsOfBase(patch, allowed) }],
    // As it was when it was allowed: what was changed since is not.
    ...(approved && { approved: { tree: approved.tree, paths: approvedPaths(patch, allowed) } }),
    fix: pathsOfFix(patch, allowed),
    newTests: pathsOfNewTests(patch),
    borrowed,
    signal: context.endNow,
    onOutput: (output) => context.recorder.publishOutput(attempt, output),
  })
  return extent ? { ...verification, extent } : verification
}

/** Says how much runs, once that is chosen, and about how long. */
async function publishPart(
  attempt: AttemptAt<'verifying'>,
  { extent, commandsOn }: Chosen,
  { recorder, verifier }: ExtentContext,
): Promise<void> {
  if (!extent) return
  const { patch } = attempt
  const commands = (await commandsOn?.(patch.tree)) ?? verifier.commandsFor(touchedPaths(patch))
  const message = `running the verification commands${aboutTime(await verifier.expectedMs(commands))}: ${extent.reason}`
  recorder.publishEvent({ type: 'fix_verification_started', attempt, message })
}

/** Nothing has run but the tests that the patch adds: they are green, and prove it where they are red without it. */
async function leaveToTrain(
  { base, patch }: AttemptAt<'verifying'>,
  { extent, commandsOn }: Chosen,
  { verifier, ports, endNow: signal }: ExtentContext,
): Promise<Verification> {
  const revision = { commit: base.commit, tree: patch.tree }
  const run = async (at: Revision) => (commandsOn ? verifier.run(at, await commandsOn(at.tree), signal) : [])
  const whole = await run(revision)
  const proof = await findProof(
    {
      revision,
      against: base,
      fix: pathsOfFix(patch, []),
      baseline: [],
      own: { tree: patch.tree, runs: [] },
      whole,
    },
    { composer: ports.composer, run },
  )
  return {
    status: 'not_applicable',
    reason: 'on the train',
    tree: patch.tree,
    commands: [],
    depends_on_patch: true,
    ...(extent && { extent }),
    ...(proof && { proof }),
  }
}
