import { z } from 'zod'
import { IssueReport } from '../agent/report.ts'
import { Attempt, Outcome } from '../attempt/attempt.ts'
import { Challenge } from '../proof/challenge.ts'
import { EvidenceGrade } from '../proof/evidence.ts'
import { FixEvent } from '../session/event.ts'
import { Gate } from '../proof/gate.ts'
import { AttemptId, CommitId, IssueId, RepositoryId, ReviewId, SessionId } from '../id.ts'
import { IssueStatus } from '../issue/issue.ts'
import { Plan } from '../session/plan.ts'
import { SessionOptions, SessionStatus } from '../session/session.ts'
import { Timing } from '../session/timing.ts'
import { Answer, OpenQuestion } from './fix.ts'

/** A session as lists show it. */
export const SessionRow = z.object({
  session_id: SessionId,
  repository_id: RepositoryId,
  task_id: ReviewId.nullable(),
  status: SessionStatus,
  reason: z.string().nullable(),
  /** Null while nothing has landed on it. */
  branch_name: z.string().nullable(),
  /** The branch's name; null until the first landing gives it one, or it was asked for. */
  branch: z.string().nullable(),
  issues_requested: z.number().int(),
  issues_fixed: z.number().int(),
  issues_failed: z.number().int(),
  issues_skipped: z.number().int(),
  cost_usd: z.number(),
  tokens: z.number().int(),
  created_at: z.string(),
  /** When something was last recorded of it: a session that nobody works on has rested since then. */
  updated_at: z.string(),
  ended_at: z.string().nullable(),
  resumable: z.boolean(),
  /** A living process works on it right now. */
  driven: z.boolean(),
})
export type SessionRow = z.infer<typeof SessionRow>

export const SessionList = z.object({
  schema: z.literal('fixpoint.sessions.v1'),
  sessions: z.array(SessionRow).readonly(),
  next_cursor: z.string().nullable(),
})
export type SessionList = z.infer<typeof SessionList>

const RoundResult = z.object({
  round: z.number().int(),
  agent: z.object({ name: z.string(), model: z.string().nullable(), ended: z.string() }),
  gates: z.array(Gate.pick({ name: true, status: true, reason: true })).readonly(),
  verification: z
    .object({
      status: z.string(),
      tree: z.string(),
      commands: z
        .array(
          z.object({
            name: z.string(),
            status: z.string(),
            exit_code: z.number().nullable(),
            output: z.string(),
          }),
        )
        .readonly(),
    })
    .nullable(),
  challenge: Challenge.nullable(),
  refusal: z.string().nullable(),
  self_evaluation: IssueReport.pick({ confidence: true, completeness: true, risks: true }).nullable(),
  diff: z.string(),
  files_outside_finding: z.array(z.string()).readonly(),
  no_changes: z.boolean(),
  cost_usd: z.number(),
  duration_ms: z.number(),
})

const IssueResult = z.object({
  issue_id: IssueId,
  issue_code: z.string(),
  title: z.string().nullable(),
  file: z.string().nullable(),
  status: IssueStatus,
  outcome: Outcome.nullable(),
  reason: z.string().nullable(),
  commit_sha: CommitId.nullable(),
  commit_message: z.string().nullable(),
  changes_made: z.string().nullable(),
  error: z.string().nullable(),
  fix_code: z.string().nullable(),
  fix_explanation: z.string().nullable(),
  fix_files_modified: z.array(z.string()).readonly(),
  false_positive: z.boolean(),
  fix_self_score: z.number().nullable(),
  fix_challenger_score: z.number().nullable(),
  evidence: EvidenceGrade.nullable(),
  challenged: z.boolean(),
  /** The test that the fixer never saw: by whom, its names, or why there is none. */
  reproduction: z
    .object({
      agent: z.string().nullable(),
      tests: z.array(z.string()).readonly(),
      reason: z.string(),
      cost_usd: z.number(),
    })
    .nullable(),
  rounds: z.array(RoundResult).readonly(),
  cost_usd: z.number(),
})

/** The whole session, as `fixpoint fix --json` prints it too. */
export const SessionReport = z.object({
  schema: z.literal('fixpoint.session.v1'),
  session_id: SessionId,
  repository_id: RepositoryId,
  task_id: ReviewId.nullable(),
  branch_name: z.string().nullable(),
  base_commit: CommitId,
  status: SessionStatus,
  reason: z.string().nullable(),
  issues_requested: z.number().int(),
  issues_fixed: z.number().int(),
  issues_failed: z.number().int(),
  issues_skipped: z.number().int(),
  results: z.array(IssueResult).readonly(),
  final_status: z.string(),
  fixes_applied: z.boolean(),
  cost_usd: z.number(),
  tokens: z.number(),
  duration_ms: z.number(),
  verifications_run: z.number().int(),
  resumable: z.boolean(),
})
export type SessionReport = z.infer<typeof SessionReport>

/** Where an attempt stands, without its rounds. */
export const AttemptSummary = z.object({
  attempt_id: AttemptId,
  issue_id: IssueId,
  issue_code: z.string(),
  title: z.string().nullable(),
  file: z.string().nullable(),
  position: z.number().int(),
  stage: z.string(),
  round: z.number().int(),
  outcome: Outcome.nullable(),
  reason: z.string().nullable(),
  /** What its agents have cost so far. */
  cost_usd: z.number(),
  /** The issue as it is now: a dispute that a person has decided since is not open any more. */
  issue_status: IssueStatus.nullable(),
  evidence: EvidenceGrade.nullable(),
  commit_sha: CommitId.nullable(),
})
export type AttemptSummary = z.infer<typeof AttemptSummary>

/** One session with everything but its rounds; those are in its report and its attempts. */
export const SessionDetail = SessionRow.extend({
  schema: z.literal('fixpoint.session-detail.v1'),
  base_commit: CommitId,
  tip_commit: CommitId,
  plan: Plan,
  options: SessionOptions,
  attempts: z.array(AttemptSummary).readonly(),
  /** The newest durable event: a stream that starts after it misses nothing. */
  last_seq: z.number().int(),
  verifications_run: z.number().int(),
  /** What a person should look at, although the session went on. */
  warnings: z.array(z.string()).readonly(),
  /** The branch that work started from, when it was one. */
  base_branch: z.string().nullable(),
})
export type SessionDetail = z.infer<typeof SessionDetail>

export const AttemptList = z.object({
  schema: z.literal('fixpoint.attempts.v1'),
  session_id: SessionId,
  attempts: z.array(Attempt).readonly(),
})
export type AttemptList = z.infer<typeof AttemptList>

export const EventList = z.object({
  schema: z.literal('fixpoint.events.v1'),
  session_id: SessionId,
  events: z.array(FixEvent).readonly(),
  /** The newest of what agents say right now; it is not stored. */
  live: z.array(FixEvent).readonly(),
})
export type EventList = z.infer<typeof EventList>

export const SessionTiming = Timing.extend({
  schema: z.literal('fixpoint.timing.v1'),
  session_id: SessionId,
})
export type SessionTiming = z.infer<typeof SessionTiming>

export const ArtifactList = z.object({
  schema: z.literal('fixpoint.artifacts.v1'),
  session_id: SessionId,
  names: z.array(z.string()).readonly(),
  /** Where each can be read without this server, for some minutes; null where they are kept here. */
  links: z.array(z.string()).readonly().nullable(),
})
export type ArtifactList = z.infer<typeof ArtifactList>

/** A patch that only a person may allow, and what it is about. */
export const PendingApproval = z.object({
  approval_id: z.string(),
  session_id: SessionId,
  repository_id: RepositoryId,
  attempt_id: AttemptId,
  issue_id: IssueId,
  issue_code: z.string(),
  title: z.string().nullable(),
  /** The gate that asks; or `dispute`: the fixer calls it a false positive and the challenger does not; approving ignores the issue. */
  gate: Gate.shape.name,
  /** What the person is asked, in the words of the gate. */
  question: z.string(),
  reason: z.string(),
  /** Exactly these files would be allowed to change as they did. */
  files: z.array(z.string()).readonly(),
  diff: z.string(),
  round: z.number().int(),
})
export type PendingApproval = z.infer<typeof PendingApproval>

export const ApprovalList = z.object({
  schema: z.literal('fixpoint.approvals.v1'),
  approvals: z.array(PendingApproval).readonly(),
  /** What sessions ask before they begin to fix. */
  questions: z.array(OpenQuestion.extend({ session_id: SessionId, repository_id: RepositoryId })).readonly(),
})
export type ApprovalList = z.infer<typeof ApprovalList>

export const ApprovalAnswer = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('approve'),
    /** When given, it has to be exactly the files that were asked about. */
    files: z.array(z.string()).readonly().optional(),
  }),
  z.strictObject({ decision: z.literal('reject'), reason: z.string().trim().min(1) }),
])
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>

/** The answer to a scope violation, of one issue or of all that wait for one. */
export const ScopeResponse = z.strictObject({
  approved: z.boolean(),
  issue_code: z.string().optional(),
  reason: z.string().trim().min(1).optional(),
})
export type ScopeResponse = z.infer<typeof ScopeResponse>

export const SessionAnswers = z.strictObject({ answers: z.array(Answer).min(1).readonly() })
export type SessionAnswers = z.infer<typeof SessionAnswers>
