import { z } from 'zod'
import { Clarification, Issue } from '../issue/issue.ts'
import { Verification } from '../proof/verification.ts'

export const Role = z.enum([
  'reviewer',
  'clarifier',
  'planner',
  'reproducer',
  'fixer',
  'challenger',
  'pr_reviewer',
])
export type Role = z.infer<typeof Role>

/** A reviewer, a challenger and a reproducer start fresh each time: nobody will ask for their conversation again. */
export const keepsConversation = (role: Role): boolean =>
  !['reviewer', 'challenger', 'reproducer', 'pr_reviewer'].includes(role)

export const Access = z.enum(['read', 'write'])
export type Access = z.infer<typeof Access>

/** The request to the next round, beside correcting what was refused. */
export const NextStep = z.enum([
  'leave_or_explain',
  'keep_or_correct_tests',
  'fix_or_block',
  'keep_workspace',
  'fix_alone',
  'begin_again',
])
export type NextStep = z.infer<typeof NextStep>

/** Why an earlier round was refused. */
export const Feedback = z.object({
  round: z.number().int(),
  stage: z.string(),
  /** What was seen; it may hold the words of tests and of other agents. */
  text: z.string(),
  next_step: NextStep.optional(),
  /** The words of the person who refused it. */
  person: z.string().optional(),
})
export type Feedback = z.infer<typeof Feedback>

/** What a challenger may know of an issue: nothing of any fixer's story. */
export const ChallengedIssue = Issue.omit({
  fix_code: true,
  fix_explanation: true,
  fix_files_modified: true,
  fix_commit_sha: true,
  fix_branch: true,
  fix_session_id: true,
  fix_self_score: true,
  fix_challenger_score: true,
})

/** What an agent is asked to do; written as the file that `FIXPOINT_TASK` names. */
export const AgentTask = z.object({
  role: Role,
  access: Access,
  round: z.number().int(),
  issues: z.array(z.union([Issue, ChallengedIssue])).readonly(),
  feedback: z.array(Feedback).readonly(),
  clarifications: z.record(z.string(), z.array(Clarification)),
  notes: z.string().nullable(),
  review: z
    .object({
      paths: z.array(z.string()).readonly(),
      base: z.string().nullable(),
      spec: z.string().nullable(),
    })
    .nullable(),
  diff: z.string().nullable(),
  verification: z
    .object({
      commands: z.array(z.object({ name: z.string(), run: z.string() })).readonly(),
      result: Verification.nullable(),
    })
    .nullable(),
  /** The folder the agent works in; also its working directory. */
  workspace: z.string(),
  output_schema: z.record(z.string(), z.unknown()).nullable(),
})
export type AgentTask = z.infer<typeof AgentTask>

export const FailureKind = z.enum([
  'auth',
  'billing',
  'quota',
  'rate_limited',
  'overloaded',
  'timeout',
  'crashed',
  'malformed',
  'cancelled',
  'model_not_found',
  'too_long',
  'tools_unavailable',
  /** It used up its budget before it was done. */
  'budget',
])
export type FailureKind = z.infer<typeof FailureKind>

/** How an agent's run ended; kinds come from exit codes and the agent's own error fields, never from words in its text. */
export const AgentEnding = z.discriminatedUnion('ended', [
  z.object({ ended: z.literal('finished') }),
  z.object({
    ended: z.literal('failed'),
    kind: FailureKind,
    message: z.string(),
    reset_at: z.string().nullable(),
    /** The conversation to continue is not known any more: a new one may be started instead. */
    conversation_lost: z.boolean().optional(),
  }),
])
export type AgentEnding = z.infer<typeof AgentEnding>

/** One run of one agent, of one shape for success and failure. */
export const AgentRun = z.object({
  agent: z.string(),
  model: z.string().nullable(),
  ending: AgentEnding,
  /** What the agent said last; its report is read from here. */
  text: z.string(),
  tokens: z.number().int(),
  cost_usd: z.number(),
  /** The cost was computed from a price table, because the agent reports tokens only. */
  cost_estimated: z.boolean().optional(),
  conversation_id: z.string().nullable(),
  duration_ms: z.number(),
  /** How long Fixpoint waited for the agent's service before this run. */
  waited_ms: z.number().optional(),
})
export type AgentRun = z.infer<typeof AgentRun>

/** What an agent reports while it runs: live, lossy, never the basis of a decision. */
export type AgentUpdate =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly detail: string }
  | { readonly type: 'usage'; readonly tokens: number; readonly cost_usd: number }
  /** The agent itself waits this long for its service, then asks again. */
  | { readonly type: 'waiting'; readonly kind: FailureKind; readonly reason: string; readonly ms: number }
  /** A program in its jail tried to reach a host that it may not reach. */
  | { readonly type: 'refused_host'; readonly host: string }

/** Whether a run failed because the conversation it should have continued is not known any more. */
export const hasLostConversation = ({ ending }: Pick<AgentRun, 'ending'>): boolean =>
  ending.ended === 'failed' && ending.conversation_lost === true
