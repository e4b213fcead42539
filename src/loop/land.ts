import { advance } from '../model/advance-attempt.ts'
import type { Attempt, AttemptAt, AttemptEvent, Revision } from '../model/attempt.ts'
import { formatCommitMessage } from '../model/commit.ts'
import type { IssueId, TreeId } from '../model/id.ts'
import type { Issue } from '../model/issue.ts'
import { touchedPaths } from '../model/patch.ts'
import type { PlannedLanding } from '../model/session.ts'
import type { Verification } from '../model/verification.ts'
import type { Ports } from './ports.ts'
import type { Recorder } from './recorder.ts'
import type { Slots } from './slots.ts'
import type { Verifier } from './verify.ts'

type Accepted = AttemptAt<'accepted'>

export interface LandingContext {
  readonly recorder: Recorder
  readonly verifier: Verifier
  readonly slots: Slots
  readonly issues: ReadonlyMap<IssueId, Issue>
  readonly ports: Ports
  readonly signal: AbortSignal
}

export type Landed = { readonly landed: true } | { readonly branchMoved: string }

/** Composes accepted patches in plan order, verifies them together once, finds the first culprit when red, and lands what is green. */
export async function landTrain(train: readonly Accepted[], context: LandingContext): Promise<Landed> {
  const { recorder, ports } = context
  const tip = recorder.session().tip
  const composed = await compose(train, tip, ports)
  const found = await greenPrefix(composed.wagons, tip, context)
  if (context.signal.aborted) return { landed: true }
  const landing = await planLanding(composed.wagons.slice(0, found.green), tip, context)
  const newTip = landing?.to ?? tip
  const refusal = refusalOf(found.culprit, composed.conflict, newTip)
  if (landing) {
    await recorder.recordTogether({
      session: { type: 'landing_planned', landing },
      announcements: [
        {
          type: 'fix_landing_started',
          message: `landing ${landing.commits.length} on ${recorder.session().branch}`,
        },
      ],
    })
    const moved = await finishLanding(context)
    if ('branchMoved' in moved) return moved
  }
  if (refusal) await recorder.recordStep(refusal.before, refusal.event, refusal.after)
  return { landed: true }
}

/** Who is sent back: the culprit of a red train, else the one whose patch does not fit any more. */
function refusalOf(culprit: GreenPrefix['culprit'], conflict: Conflict | null, base: Revision): Step | null {
  if (culprit) {
    const { attempt, tree, verification } = culprit
    return stepOf(attempt, { type: 'landing_refused', base, tree, verification })
  }
  return conflict && stepOf(conflict.attempt, { type: 'conflicted', base, paths: conflict.paths })
}

/** Moves the branch to what was planned and settles its attempts; also what a resumed session does first. */
export async function finishLanding({
  recorder,
  ports,
}: Pick<LandingContext, 'recorder' | 'ports'>): Promise<Landed> {
  const session = recorder.session()
  const { landing } = session
  if (!landing) return { landed: true }
  const moved = await ports.branches.move({
    branch: session.branch,
    from: session.branch_made ? landing.from.commit : null,
    to: landing.to.commit,
    base: session.base.commit,
  })
  if (!moved.moved)
    return {
      branchMoved: `${session.branch} ${moved.actual ? `was moved to ${moved.actual} by someone else` : 'was deleted by someone else'}`,
    }
  const attempts = new Map(recorder.attempts().map((attempt) => [attempt.id, attempt]))
  await ports.branches.note(
    landing.commits.map((commit) => ({
      commit: commit.commit_sha,
      text: evidenceNote(commit, landing, attempts.get(commit.attempt_id)),
    })),
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
    announcements: [
      {
        type: 'fix_landing_result',
        message: `${session.branch} is at ${landing.to.commit.slice(0, 10)}`,
        commit_sha: landing.to.commit,
      },
    ],
  })
  return { landed: true }
}

/** What proves a commit, for whoever has the repository and nothing else. Inner commits of a train name the tip that was verified. */
function evidenceNote(
  commit: PlannedLanding['commits'][number],
  { to }: PlannedLanding,
  attempt: Attempt | undefined,
): string {
  const accepted = attempt?.stage === 'accepted' ? attempt : null
  const note = {
    schema: 'fixpoint.evidence.v1',
    issue_code: attempt?.issue_code ?? null,
    session_id: attempt?.session_id ?? null,
    evidence: commit.evidence,
    verified: { commit: to.commit, tree: to.tree },
    commands: accepted?.verification.commands.map(({ name, status }) => ({ name, status })) ?? [],
    gates: accepted?.gates.map(({ name, status, reason }) => ({ name, status, reason })) ?? [],
    challenge: accepted?.challenge ?? null,
  }
  return `${JSON.stringify(note, null, 2)}\n`
}

interface Wagon {
  readonly attempt: Accepted
  /** The tree with this patch and all before it. */
  readonly tree: TreeId
}

interface Conflict {
  readonly attempt: Accepted
  readonly paths: readonly string[]
}

/** Each patch on top of the ones before it; the first conflict ends the train there. */
async function compose(
  train: readonly Accepted[],
  tip: Revision,
  ports: Ports,
): Promise<{ readonly wagons: readonly Wagon[]; readonly conflict: Conflict | null }> {
  const wagons: Wagon[] = []
  let onto = tip.tree
  for (const attempt of train) {
    const { base_tree, tree } = attempt.patch
    const composition = base_tree === onto ? { tree } : await ports.composer.compose(onto, attempt.patch)
    if ('conflicts' in composition) return { wagons, conflict: { attempt, paths: composition.conflicts } }
    onto = composition.tree
    wagons.push({ attempt, tree: onto })
  }
  return { wagons, conflict: null }
}

interface GreenPrefix {
  readonly green: number
  readonly culprit: {
    readonly attempt: Accepted
    readonly tree: TreeId
    readonly verification: Verification
  } | null
}

/** The whole train is verified once; if red, the shortest red prefix is found by halving, and its last wagon is the culprit. */
async function greenPrefix(
  wagons: readonly Wagon[],
  tip: Revision,
  context: LandingContext,
): Promise<GreenPrefix> {
  const verifyFirst = (count: number) => verifyPrefix(wagons.slice(0, count), tip, context)
  let green = 0
  let red = wagons.length
  if (red === 0) return { green, culprit: null }
  let verification = await verifyFirst(red)
  if (isGreen(verification, wagons)) return { green: red, culprit: null }
  while (red - green > 1) {
    const middle = Math.floor((green + red) / 2)
    const half = await verifyFirst(middle)
    if (isGreen(half, wagons)) green = middle
    else {
      red = middle
      verification = half
    }
  }
  const last = wagons[red - 1]
  return { green, culprit: last ? { ...last, verification } : null }
}

const verifyPrefix = (wagons: readonly Wagon[], tip: Revision, { verifier, signal }: LandingContext) =>
  verifier.verify(
    { commit: tip.commit, tree: wagons.at(-1)?.tree ?? tip.tree },
    wagons.flatMap(({ attempt }) => touchedPaths(attempt.patch)),
    signal,
  )

const isGreen = (verification: Verification, wagons: readonly Wagon[]): boolean =>
  verification.status === 'passed' ||
  (verification.commands.length === 0 && wagons.every(({ attempt }) => attempt.policy.min_evidence === 'E0'))

/** One commit per issue, parent after parent. Nothing refers to them until the branch moves. */
async function planLanding(
  wagons: readonly Wagon[],
  tip: Revision,
  { ports, issues, recorder }: LandingContext,
): Promise<PlannedLanding | null> {
  const date = ports.clock.now()
  let parent = tip.commit
  const commits: PlannedLanding['commits'][number][] = []
  for (const { attempt, tree } of wagons) {
    const issue = issues.get(attempt.issue_id)
    if (!issue) throw new Error(`${attempt.issue_code} is not among the session's issues`)
    const message = formatCommitMessage({
      issue,
      attempt,
      explanation: await ports.inspector.redact(
        attempt.report?.explanation || (attempt.report?.changes_summary ?? ''),
      ),
      evidence: attempt.evidence,
      challengedBy: attempt.challenge ? `${attempt.challenge.agent} (${attempt.challenge.score ?? 0})` : null,
      assistedBy: recorder.session().options.assisted_by ? attempt.run.agent : null,
    })
    parent = await ports.composer.commit({ tree, parent, message, author: ports.author, date_ms: date })
    commits.push({ attempt_id: attempt.id, commit_sha: parent, message, evidence: attempt.evidence })
  }
  const last = wagons.at(-1)
  return last ? { from: tip, to: { commit: parent, tree: last.tree }, commits } : null
}

const stepOf = (before: Attempt, event: AttemptEvent): Step => ({
  before,
  event,
  after: advance(before, event),
})

interface Step {
  readonly before: Attempt
  readonly event: AttemptEvent
  readonly after: Attempt
}
