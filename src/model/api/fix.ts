import { z } from 'zod'
import { Batch } from '../session/batch.ts'
import { IssueId, RepositoryId, ReviewId, SessionId } from '../id.ts'
import { EvidenceGrade } from '../proof/evidence.ts'
import { IssuePlan } from '../issue/issue.ts'
import { Question } from '../issue/questions.ts'
import { Plan } from '../session/plan.ts'
import { SessionStatus } from '../session/session.ts'
import { RoleAgentView } from './system.ts'

const issueIds = z.array(IssueId).min(1).max(10_000).readonly()

/** A question that waits for a person; without options it is answered in free words. */
export const OpenQuestion = Question.partial({ options: true })
export type OpenQuestion = z.infer<typeof OpenQuestion>

export const Answer = z.strictObject({ question_id: z.string(), answer: z.string().min(1) })
export type Answer = z.infer<typeof Answer>

/** Names one asking, before there is a session; it also names a folder. */
const AskingId = z.string().regex(/^(cla|ses)_[0-9a-z]+$/, 'an id such as cla_… is expected')

export const ClarifyRequest = z.strictObject({
  repository_id: RepositoryId,
  issue_ids: issueIds,
  /** Null or absent in the first call; then the one that was answered. */
  session_id: AskingId.nullish(),
  /** By question id, or as a list. */
  answers: z.union([z.array(Answer).readonly(), z.record(z.string(), z.string())]).nullish(),
})
export type ClarifyRequest = z.infer<typeof ClarifyRequest>

export const ClarifyOutcome = z.object({
  has_questions: z.boolean(),
  questions: z.array(OpenQuestion).readonly(),
  message: z.string(),
  session_id: z.string(),
  ready_to_fix: z.boolean(),
})
export type ClarifyOutcome = z.infer<typeof ClarifyOutcome>

/** Settings that hold for one session, in place of the configured ones. */
const asked = {
  strategy: z.enum(['isolated', 'sequential', 'single-call']).nullish(),
  /** The name of an agent. */
  fixer: z.string().max(100).nullish(),
  challenger: z.string().max(100).nullish(),
  reproducer: z.string().max(100).nullish(),
  max_rounds: z.number().int().min(0).max(100).nullish(),
  threshold: z.number().min(0).max(100).nullish(),
  concurrency: z.number().int().min(1).max(64).nullish(),
  budget_usd: z.number().positive().nullish(),
  scope: z.enum(['related', 'repository']).nullish(),
  min_evidence: EvidenceGrade.nullish(),
  reproduce: z.literal(['auto', true, false]).nullish(),
  /** The revision to start from; HEAD without it. */
  base: z.string().max(500).nullish(),
}
export const AskedSettings = z.object(asked)
export type AskedSettings = z.infer<typeof AskedSettings>

const chosen = {
  repository_id: RepositoryId,
  issue_ids: issueIds,
  user_notes: z.string().max(20_000).nullish(),
  /** Only this folder may change. */
  workspace_path: z.string().nullish(),
  /** These may change too. */
  allowed_extra_paths: z.array(z.string()).readonly().nullish(),
}

export const PlanRequest = z.strictObject({
  ...chosen,
  /** Let the planner write down its approach to each issue first. */
  planner: z.boolean().nullish(),
  /** The asking that came before: its conversation goes on. */
  clarify_session_id: AskingId.nullish(),
  /** The one whose prompts are wanted. */
  strategy: asked.strategy,
  /** Also build the prompts that the fixer would get. */
  prompts: z.boolean().optional(),
})
export type PlanRequest = z.infer<typeof PlanRequest>

export const PlanOutcome = Plan.extend({
  schema: z.literal('fixpoint.plan.v1'),
  batches: z.array(Batch).readonly(),
  /** How the planner would fix each issue, by its code. */
  approaches: z.record(z.string(), IssuePlan),
  prompts: z.array(z.object({ code: z.string(), prompt: z.string() })).readonly(),
  /** Null where nothing is known to estimate from. */
  estimated_cost_usd: z.number().nullable(),
})
export type PlanOutcome = z.infer<typeof PlanOutcome>

export const StartRequest = z.strictObject({
  ...chosen,
  ...asked,
  task_id: ReviewId.nullish(),
  /** The name of the branch; without it one is made from the title of the first issue that lands. */
  branch: z.string().nullish(),
  /** Go on from the branch that `branch` names; without a name, from the one of these issues' last session. */
  use_existing_branch: z.boolean().nullish(),
  clarify_session_id: AskingId.nullish(),
  /** Start anew, whatever came of an earlier request of the same kind. */
  force: z.boolean().nullish(),
})
export type StartRequest = z.infer<typeof StartRequest>

/** What `POST /api/fix/start` answers to `Accept: application/json`. */
export const StartOutcome = z.object({
  schema: z.literal('fixpoint.start.v1'),
  session_id: SessionId,
  status: SessionStatus,
  /** The same request was completed before: this is that session, nothing was started. */
  earlier: z.boolean(),
})
export type StartOutcome = z.infer<typeof StartOutcome>

/** Which of a session's issues to try again, and what to do otherwise. All that did not land when none is named. */
export const RetryRequest = z.strictObject({
  issue_ids: z.array(IssueId).min(1).max(10_000).readonly().optional(),
  user_notes: z.string().max(20_000).nullish(),
  ...asked,
})
export type RetryRequest = z.infer<typeof RetryRequest>

/** What a session would begin with; with `run` the checks are run on the base first. */
export const PreflightRequest = z.strictObject({ ...chosen, ...asked, run: z.boolean().nullish() })
export type PreflightRequest = z.infer<typeof PreflightRequest>

export const PreflightOutcome = z.object({
  schema: z.literal('fixpoint.preflight.v1'),
  /** Who would take which role, the first choice first. */
  roles: z.array(RoleAgentView).readonly(),
  /** Names of agents that may be chosen. */
  choices: z.array(z.string()).readonly(),
  checks: z
    .array(
      z.object({
        name: z.string(),
        run: z.string(),
        /** Not known before it was run. */
        status: z.enum(['green', 'red', 'unusable', 'unknown']),
        duration_ms: z.number().nullable(),
        reason: z.string().nullable(),
      }),
    )
    .readonly(),
  base: z.object({ commit: z.string(), ref: z.string() }),
  settings: z.object({
    strategy: z.string(),
    max_rounds: z.number().int(),
    concurrency: z.number().int(),
    budget_usd: z.number().nullable(),
    threshold: z.number(),
    challenge: z.boolean(),
    scope: z.string(),
    path: z.string().nullable(),
    min_evidence: z.string(),
    reproduce: z.union([z.string(), z.boolean()]),
  }),
  estimated_cost_usd: z.number().nullable(),
  estimated_ms: z.number().nullable(),
  /** Why a session could not begin, or would come to nothing. */
  blocking: z.array(z.string()).readonly(),
  warnings: z.array(z.string()).readonly(),
})
export type PreflightOutcome = z.infer<typeof PreflightOutcome>
