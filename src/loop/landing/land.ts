import type { Revision } from '../../model/attempt/attempt.ts'
import type { PlannedLanding } from '../../model/session/session.ts'
import { createTrainComposer, type Accepted, type Conflict, type Wagon } from './compose-train.ts'
import { countOthers, findFreeBranch } from './name-branch.ts'
import { evidenceNote, planCommits } from './plan-commits.ts'
import { checkTrain, type CheckedTrain } from './try-train.ts'
import { touchedPaths } from '../../model/proof/patch.ts'
import { aboutTime } from '../context/about-time.ts'
import { stepOf, type AttemptStep } from '../context/recorder.ts'
import type { SessionContext } from '../context/session-context.ts'
import type { CheckOutput, Ports } from '../ports.ts'

type LandingContext = Pick<SessionContext, 'recorder' | 'ports' | 'issues' | 'verifier' | 'endNow'>
type FinishContext = Pick<SessionContext, 'recorder' | 'issues'> & {
  readonly ports: Pick<Ports, 'branches' | 'jail'>
}

export type Landed = { readonly landed: true } | { readonly branchMoved: string }

/** Composes accepted patches in plan order, verifies them together, lands all but the culprits, and sends those back. */
export async function landTrain(train: readonly Accepted[], context: LandingContext): Promise<Landed> {
  const { recorder, ports, verifier, endNow: signal, issues } = context
  const session = recorder.session()
  const compose = createTrainComposer(session.tip.tree, ports.composer)
  const { wagons, conflicts } = await compose(train)
  const fitting = wagons.map(({ attempt }) => attempt)
  const onOutput = (output: CheckOutput): void => recorder.publishOutput(null, output)
  const checked = await withCheckEvents(fitting, context, () =>
    checkTrain(fitting, { compose, verifier, tip: session.tip, ports, signal, onOutput }),
  )
  if (!checked || signal.aborted) return { landed: true }
  const good = (await compose(checked.good)).wagons
  const verification = checked.green.get(good.at(-1)?.tree ?? session.tip.tree)
  const landing = await planCommits(good, verification, { ports, issues, session })
  if (landing) {
    const branch = session.branch ?? (await nameBranch(good, context))
    const { length: count } = landing.commits
    const message = `landing ${count} ${count === 1 ? 'patch' : 'patches'} on ${branch}`
    await recorder.recordTogether({
      session: { type: 'landing_planned', landing, branch },
      events: [{ type: 'fix_landing_started', message }],
    })
    const moved = await finishLanding(context)
    if ('branchMoved' in moved) return moved
  }
  await sendBack({ culprits: checked.culprits, conflicts }, landing?.to ?? session.tip, context)
  return { landed: true }
}

/** Checks a train between two events that say so. */
async function withCheckEvents(
  train: readonly Accepted[],
  { recorder, verifier }: Pick<LandingContext, 'recorder' | 'verifier'>,
  check: () => Promise<CheckedTrain | null>,
): Promise<CheckedTrain | null> {
  if (train.length === 0) return check()
  const details = { issues: train.map(({ issue_code }) => issue_code) }
  const fixes = train.length === 1 ? 'a fix' : `${train.length} fixes together`
  const commands = verifier.commandsFor(train.flatMap(({ patch }) => touchedPaths(patch)))
  const started = `running all commands on ${fixes} before landing${aboutTime(await verifier.expectedMs(commands))}`
  await recorder.recordEvents([{ type: 'fix_verification_started', message: started, details }])
  const checked = await check()
  if (!checked) return null
  const { good, culprits } = checked
  const status = culprits.length === 0 ? 'passed' : 'failed'
  const message = `${status}: ${good.length} of ${train.length} may land`
  await recorder.recordEvents([{ type: 'fix_verification_result', message, details }])
  return checked
}

/** The branch is named after the first issue that lands. */
async function nameBranch(
  [first]: readonly Wagon[],
  { recorder, ports, issues }: LandingContext,
): Promise<string> {
  const title = (first && issues.get(first.attempt.issue_id)?.title) ?? ''
  return findFreeBranch({ first: title, more: countOthers(recorder.attempts()) }, ports.branches)
}

interface Refused extends Pick<CheckedTrain, 'culprits'> {
  readonly conflicts: readonly Conflict[]
}

/** Culprits go on from their patch on the new tip, with the failing output; conflicts from the new tip alone. */
async function sendBack(
  { culprits, conflicts }: Refused,
  base: Revision,
  { recorder, ports }: LandingContext,
): Promise<void> {
  const steps: AttemptStep[] = conflicts.map(({ attempt, paths }) =>
    stepOf(attempt, { type: 'conflicted', base, paths: [...paths] }),
  )
  for (const { wagon, why } of culprits) {
    if ('paths' in why) steps.push(stepOf(wagon, { type: 'conflicted', base, paths: [...why.paths] }))
    else {
      const composed = await ports.composer.compose(base.tree, wagon.patch)
      const tree = 'tree' in composed ? composed.tree : base.tree
      steps.push(stepOf(wagon, { type: 'landing_refused', base, tree, verification: why.verification }))
    }
  }
  for (const step of steps) await recorder.recordStep(step)
}

/** Puts the planned commits on the branch after the session was killed, or after its branch was elsewhere. */
export async function resumeLanding(context: FinishContext): Promise<Landed> {
  const { id, landing } = context.recorder.session()
  if (!landing) return { landed: true }
  const landed = await finishLanding(context)
  if ('landed' in landed) await context.ports.branches.drop(id)
  return landed
}

/** Moves the branch to what was planned and settles its attempts. */
async function finishLanding({ recorder, ports, issues }: FinishContext): Promise<Landed> {
  const session = recorder.session()
  const { landing, branch } = session
  if (!landing || branch === null) return { landed: true }
  const to = landing.to.commit
  const refusal = await moveBranch(landing, branch, { recorder, ports })
  if (refusal) return { branchMoved: refusal }
  const attempts = new Map(recorder.attempts().map((attempt) => [attempt.id, attempt]))
  await ports.branches.note(
    landing.commits.map((commit) => {
      const attempt = attempts.get(commit.attempt_id)
      const issue = attempt && issues.get(attempt.issue_id)
      const others = (attempt?.bundle ?? []).flatMap(({ issue_id }) => issues.get(issue_id) ?? [])
      const facts = { commit, landing, attempt, issue, others, session, jail: ports.jail.text }
      return { commit: commit.commit_sha, text: evidenceNote(facts) }
    }),
  )
  const steps = landing.commits.flatMap(({ attempt_id, commit_sha, message, evidence }) => {
    const before = attempts.get(attempt_id)
    return before?.stage === 'accepted'
      ? [stepOf(before, { type: 'landed', commit_sha, commit_message: message, evidence })]
      : []
  })
  await recorder.recordTogether({
    session: { type: 'landing_done' },
    steps,
    events: [
      {
        type: 'fix_landing_result',
        message: `${branch} is at ${to.slice(0, 10)}`,
        commit_sha: to,
      },
    ],
  })
  return { landed: true }
}

/** Why the branch is not where it should be, once the verified commits are kept elsewhere; null when it is there. */
async function moveBranch(
  landing: PlannedLanding,
  branch: string,
  { recorder, ports: { branches } }: Pick<FinishContext, 'recorder' | 'ports'>,
): Promise<string | null> {
  const { id, branch_made, base } = recorder.session()
  const to = landing.to.commit
  const from = branch_made ? landing.from.commit : null
  const moved = await branches.move({ branch, from, to, base: base.commit })
  // A process that was taken for dead finds the branch where its successor has put it, and has no more to write.
  await recorder.confirmOwner()
  if (moved.moved) return null
  const kept = await branches.keep({ name: id, commit: to, base: base.commit })
  const resume = `fixpoint resume ${id}`
  const [what, how] =
    moved.reason !== undefined
      ? [moved.reason, resume]
      : moved.actual
        ? [
            `${branch} was moved to ${moved.actual} by someone else`,
            `git branch -m ${branch} ${branch}-theirs && git branch ${branch} ${kept} && ${resume}`,
          ]
        : [`${branch} was deleted by someone else`, `git branch ${branch} ${kept} && ${resume}`]
  return `${what}; the verified commits are kept as ${kept}. To go on: ${how}`
}
