import { z } from 'zod'
import { AgentRun, Feedback } from '../agent/agent.ts'
import { Challenge } from '../proof/challenge.ts'
import { EvidenceGrade } from '../proof/evidence.ts'
import { Gate } from '../proof/gate.ts'
import { AttemptId, CommitId, IssueId, SessionId, TreeId } from '../id.ts'
import { Patch } from '../proof/patch.ts'
import { IssueReport } from '../agent/report.ts'
import { Reproduction } from './reproduction.ts'
import { Round } from './round.ts'
import { Verification } from '../proof/verification.ts'

export const Revision = z.object({ commit: CommitId, tree: TreeId })
export type Revision = z.infer<typeof Revision>

/** The rules an attempt is held to, fixed when its session starts. */
export const Policy = z.object({
  max_rounds: z.number().int().min(0),
  threshold: z.number(),
  challenge: z.boolean(),
  min_evidence: EvidenceGrade,
  /** What becomes of a patch that only a person may allow, while no person is there. */
  unattended: z.enum(['hold', 'reject']).default('hold'),
  /** A person can be asked: a patch that would otherwise be refused at once waits for their answer. */
  attended: z.boolean().optional(),
  /** Nothing lands without a test that another agent wrote before the fix. */
  requires_reproduction: z.boolean().optional(),
})
export type Policy = z.infer<typeof Policy>

export const Outcome = z.enum([
  'fixed',
  'refused',
  'blocked',
  'needs_agent',
  'failed',
  'false_positive',
  'disputed',
  'held',
  'not_evaluated',
  'cancelled',
  'over_budget',
  'not_sent',
  'deleted',
])
export type Outcome = z.infer<typeof Outcome>

/** An issue whose patch cannot be told apart from another one's. */
export const BundledIssue = z.object({ attempt_id: AttemptId, issue_id: IssueId, issue_code: z.string() })
export type BundledIssue = z.infer<typeof BundledIssue>

const Common = z.object({
  id: AttemptId,
  session_id: SessionId,
  issue_id: IssueId,
  issue_code: z.string(),
  /** Place in the plan; landing follows it. */
  position: z.number().int(),
  /** What must be free before it starts: the issue's file. */
  files: z.array(z.string()).readonly(),
  /** Attempts that must be settled before it starts. */
  after: z.array(AttemptId).readonly(),
  policy: Policy,
  rounds: z.array(Round).readonly(),
  deferrals: z.number().int(),
  /** What became of the test that another agent was asked for before the first round, where one was. */
  reproduction: Reproduction.optional(),
  /** The other issues that this attempt's patch stands for: they land or fall with it. */
  bundle: z.array(BundledIssue).readonly().optional(),
})

/** The files that a person allowed: they count as the base's from then on, as they were in this tree. */
export const Approval = z.object({ tree: TreeId, paths: z.array(z.string()).readonly() })
export type Approval = z.infer<typeof Approval>

/** The start of a round: the session's tip, and the tree that the agent finds in its workspace. */
const Working = Common.extend({
  base: Revision,
  from_tree: TreeId,
  round: z.number().int(),
  feedback: z.array(Feedback).readonly(),
  approved: Approval.optional(),
  /** The round was begun again because its workspace was gone; a second time would be the agent's doing. */
  begun_again: z.boolean().optional(),
})
/** One issue's part of a patch: the base with its files changed, and what was refused of them. */
const Divided = z.object({ tree: TreeId, refused: Patch.shape.refused })
const Ran = Working.extend({
  run: AgentRun,
  report: IssueReport.nullable(),
  /** This issue's part of what one agent changed for several; without it the workspace is captured. */
  divided: Divided.optional(),
})
const Inspected = Ran.extend({
  patch: Patch,
  diff: z.string(),
  gates: z.array(Gate).readonly(),
  /** Changed files that the finding does not name: noted, not refused. */
  files_outside_finding: z.array(z.string()).readonly(),
})
const Held = Inspected.extend({
  /** What a person has to look at, and the tree to go on from if they say no. */
  question: Gate,
  next_tree: TreeId,
})
const Verified = Inspected.extend({ verification: Verification })

/** One issue's way through rounds, to an outcome. Each stage holds what exists by then, and nothing else. */
export const Attempt = z.discriminatedUnion('stage', [
  Common.extend({
    stage: z.literal('queued'),
    /** A reproducer was started: it runs once only, also when that was interrupted. */
    reproduction_begun: z.boolean().optional(),
  }),
  Working.extend({ stage: z.literal('fixing') }),
  Ran.extend({ stage: z.literal('inspecting') }),
  /** Its patch is part of another attempt's, whose end is its own. */
  Ran.extend({ stage: z.literal('bundled'), lead: AttemptId }),
  /** The fixer calls the finding a false positive; the challenger is asked what it thinks of that. */
  Ran.extend({ stage: z.literal('doubting') }),
  Held.extend({ stage: z.literal('held') }),
  Inspected.extend({ stage: z.literal('verifying') }),
  Verified.extend({ stage: z.literal('challenging') }),
  Verified.extend({
    stage: z.literal('accepted'),
    challenge: Challenge.nullable(),
    evidence: EvidenceGrade,
  }),
  Common.extend({
    stage: z.literal('settled'),
    outcome: Outcome,
    reason: z.string(),
    commit_sha: CommitId.nullable(),
    commit_message: z.string().nullable(),
    evidence: EvidenceGrade.nullable(),
  }),
])
export type Attempt = z.infer<typeof Attempt>
export type AttemptStage = Attempt['stage']
export type AttemptAt<Stage extends AttemptStage> = Extract<Attempt, { stage: Stage }>
export type SettledAttempt = AttemptAt<'settled'>

export const AttemptEvent = z.discriminatedUnion('type', [
  /** The agent that is to reproduce the problem is about to run. */
  z.object({ type: z.literal('reproduction_begun') }),
  z.object({ type: z.literal('reproduced'), reproduction: Reproduction }),
  z.object({ type: z.literal('started'), base: Revision }),
  /** Another issue's fix, which landed before this one began, has mended this one too: no agent is needed. */
  z.object({
    type: z.literal('found_fixed'),
    by_code: z.string(),
    commit_sha: CommitId,
    commit_message: z.string().nullable(),
    evidence: EvidenceGrade,
  }),
  z.object({ type: z.literal('agent_ended'), run: AgentRun, report: IssueReport.nullable() }),
  /** One agent has worked on several issues; this is what it did for this one. */
  z.object({
    type: z.literal('batch_ended'),
    base: Revision,
    run: AgentRun,
    report: IssueReport.nullable(),
    divided: Divided,
    /** Set on the one that stands for several. */
    bundle: z.array(BundledIssue).readonly(),
    /** Set on those that another one stands for. */
    lead: AttemptId.nullable(),
  }),
  /** The attempt that this one's patch is part of is over. */
  z.object({
    type: z.literal('bundle_settled'),
    lead_code: z.string(),
    outcome: Outcome,
    reason: z.string(),
    commit_sha: CommitId.nullable(),
    commit_message: z.string().nullable(),
    evidence: EvidenceGrade.nullable(),
    /** The lead's last round: its gates, checks and challenge were for this one too. */
    round: Round.optional(),
  }),
  /** The patch that this one was part of was refused: each issue of it is worked on alone from here on. */
  z.object({
    type: z.literal('bundle_dissolved'),
    base: Revision,
    lead_code: z.string(),
    reason: z.string(),
  }),
  /** The workspace is gone before its patch was captured, as after a crash and a clean-up. */
  z.object({ type: z.literal('workspace_lost') }),
  z.object({
    type: z.literal('inspected'),
    patch: Patch,
    diff: z.string(),
    gates: z.array(Gate).readonly(),
    /** Where the next round starts when a gate refuses: what must not stay has been put back. */
    next_tree: TreeId,
    files_outside_finding: z.array(z.string()).readonly(),
  }),
  /** A person allowed exactly these files to change as they did. */
  z.object({ type: z.literal('approved'), paths: z.array(z.string()).readonly(), by: z.string() }),
  z.object({ type: z.literal('rejected'), reason: z.string() }),
  z.object({
    type: z.literal('verified'),
    verification: Verification,
    gates: z.array(Gate).readonly(),
  }),
  z.object({ type: z.literal('challenged'), challenge: Challenge }),
  z.object({
    type: z.literal('landed'),
    commit_sha: CommitId,
    commit_message: z.string(),
    evidence: EvidenceGrade,
  }),
  z.object({ type: z.literal('conflicted'), base: Revision, paths: z.array(z.string()).readonly() }),
  z.object({
    type: z.literal('landing_refused'),
    base: Revision,
    tree: TreeId,
    verification: Verification,
  }),
  z.object({ type: z.literal('stopped'), outcome: Outcome, reason: z.string() }),
])
export type AttemptEvent = z.infer<typeof AttemptEvent>
export type EventOf<Type extends AttemptEvent['type']> = Extract<AttemptEvent, { type: Type }>

export const isSettled = (attempt: Attempt): attempt is SettledAttempt => attempt.stage === 'settled'

/** Whether the agent ended well, with a report that can be read. */
export const hasReported = ({ run, report }: Pick<AttemptAt<'inspecting'>, 'run' | 'report'>): boolean =>
  run.ending.ended === 'finished' && report !== null

/** Whether the attempt has nothing to do by itself: it is over, or it waits for the landing or for a person. */
export const isResting = (attempt: Attempt): boolean =>
  ['settled', 'accepted', 'held', 'bundled'].includes(attempt.stage)

/** Attempts at one of these stages, and the attempts that wait for one of them: as its successors, or because it stands for them. */
export function waitingBehind(
  attempts: readonly Attempt[],
  stages: readonly AttemptStage[],
): ReadonlySet<AttemptId> {
  const waiting = new Set<AttemptId>()
  // Predecessors, and those that stand for others, come earlier in the plan.
  for (const attempt of attempts.toSorted((a, b) => a.position - b.position)) {
    if (attempt.stage === 'settled' || attempt.stage === 'accepted') continue
    const isBehind = attempt.after.some((id) => waiting.has(id))
    const isCarried = attempt.stage === 'bundled' && waiting.has(attempt.lead)
    if (stages.includes(attempt.stage) || isBehind || isCarried) waiting.add(attempt.id)
  }
  return waiting
}
