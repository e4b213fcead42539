import { z } from 'zod'
import { Conversation } from '../issue/conversation.ts'
import { AttemptId, CommitId, IssueId, RepositoryId, ReviewId, SessionId } from '../id.ts'
import { Policy, Revision, type Attempt } from '../attempt/attempt.ts'
import { addSpent, nothingSpent } from '../attempt/spending.ts'
import { EvidenceGrade } from '../proof/evidence.ts'
import { Fault } from '../fault.ts'
import { SessionHalt } from './halt.ts'
import { Plan } from './plan.ts'
import { CheckCommand, CommandResult, VerifyStrategy } from '../proof/verification.ts'

export const SessionStatus = z.enum([
  'pending',
  'validating',
  'awaiting_clarification',
  'running',
  'awaiting_approval',
  'parked',
  'completed',
  'partial',
  'failed',
  'cancelled',
])
export type SessionStatus = z.infer<typeof SessionStatus>

/** Everything a session was asked for, fixed at its start so that resuming means the same thing. */
export const SessionOptions = z.object({
  strategy: z.enum(['isolated', 'sequential', 'single-call']),
  concurrency: z.number().int().positive(),
  policy: Policy,
  notes: z.string().nullable(),
  /** `owner/name` of the repository that the code is of, where that is a stranger's: none of it is pushed here. */
  foreign: z.string().optional(),
  scope: z.object({
    path: z.string().nullable(),
    extra: z.array(z.string()).readonly(),
    /** How far a patch may reach where no folder bounds it. */
    reach: z.enum(['related', 'repository']).default('repository'),
  }),
  commands: z.array(CheckCommand).readonly(),
  /** How much of them an attempt runs; everything in older records. */
  verify_strategy: VerifyStrategy.optional(),
  fixer: z.string(),
  challenger: z.string(),
  conventions: z.array(z.string()).readonly(),
  /** Globs of files that only a person may let change, beside the built-in ones. */
  protected: z.array(z.string()).readonly().default([]),
  assisted_by: z.boolean(),
  max_session_tokens: z.number().int().optional(),
  max_batch_points: z.number().int().optional(),
  max_batch_issues: z.number().int().optional(),
  /** Another agent writes a failing test before each fix. */
  reproduce: z.literal(['auto', true, false]).optional(),
  /** Whether the fixer may ask before it begins, notes down what it assumes, or waits only for answers to what was asked before. */
  clarify: z.enum(['ask', 'assume', 'answered', 'off']).optional(),
  budget_usd: z.number().nullable().optional(),
  issue_budget_usd: z.number().nullable().optional(),
  budget_tokens: z.number().nullable().optional(),
  issue_budget_tokens: z.number().nullable().optional(),
  /** How long the session waits for a provider that refuses every request. */
  patience_ms: z.number().optional(),
})
export type SessionOptions = z.infer<typeof SessionOptions>

/** Commits that are made and verified, about to be put on the branch. Written down before the branch moves. */
export const PlannedLanding = z.object({
  from: Revision,
  to: Revision,
  commits: z
    .array(
      z.object({
        attempt_id: AttemptId,
        commit_sha: CommitId,
        message: z.string(),
        evidence: EvidenceGrade,
      }),
    )
    .readonly(),
  /** What the verification of that very tree said. */
  checks: z
    .array(CommandResult.pick({ name: true, status: true, reason: true, exit_code: true }))
    .readonly()
    .optional(),
})
export type PlannedLanding = z.infer<typeof PlannedLanding>

/** The branch that the session started from, moved by someone meanwhile. */
export const BaseMoved = z.object({
  branch: z.string(),
  from: CommitId,
  to: CommitId,
  /** Whether the landed fixes are green together with the branch as it is now; null when nothing landed. */
  together: z.enum(['green', 'red', 'conflicts', 'not_evaluated']).nullable(),
  reason: z.string(),
})
export type BaseMoved = z.infer<typeof BaseMoved>

const Spent = z.object({ usd: z.number(), tokens: z.number() })

/** How often the session was taken over from a process that was gone, without getting any further. */
export const Takeovers = z.object({ count: z.number().int(), progress: z.string() })
export type Takeovers = z.infer<typeof Takeovers>

/** A setting that was asked for instead of the configured one; `where` is how the person wrote it. */
export const AskedSetting = z.object({ where: z.string(), key: z.string(), value: z.unknown() })

export const Clarified = z.object({
  rounds: z.number().int(),
  ready: z.boolean(),
  conversation: Conversation.nullable(),
  /** What asking has cost; older records do not say. */
  spent: Spent.optional(),
})
export type Clarified = z.infer<typeof Clarified>

/** One run that fixes chosen issues of one repository onto one branch. */
export const Session = z.object({
  id: SessionId,
  repository_id: RepositoryId,
  task_id: ReviewId.nullable(),
  status: SessionStatus,
  reason: z.string().nullable(),
  /** Why it is parked. */
  halt: SessionHalt.nullable().optional(),
  base: Revision,
  /** The clone that its branch is made in; older records do not say. */
  clone: z.string().optional(),
  /** The full name of the branch that the base was the tip of, when it was one. */
  base_branch: z.string().nullable().optional(),
  /** What stood around its agents and commands when it began. */
  jail: z.string().optional(),
  base_moved: BaseMoved.nullable().optional(),
  /** What a person should look at, although the session went on. */
  warnings: z.array(z.string()).readonly().optional(),
  /** The newest verified commit: the base until something lands. */
  tip: Revision,
  /** Null until something is about to land, unless a name was asked for. */
  branch: z.string().nullable(),
  /** Whether Fixpoint made the branch; until then its name is only reserved. */
  branch_made: z.boolean(),
  issue_ids: z.array(IssueId).readonly(),
  /** How far asking before fixing has come. */
  clarified: Clarified.optional(),
  plan: Plan,
  options: SessionOptions,
  /** A process that goes on with the session reads the configuration with these. */
  settings: z.array(AskedSetting).readonly().optional(),
  landing: PlannedLanding.nullable(),
  verifications_run: z.number().int(),
  /** The usage of agents whose work was given up before it belonged to a round: because of a provider, a stop or a lost workspace. */
  spent_in_vain: Spent.optional(),
  /** The process that drives it, so that another one can tell whether it is still there. */
  owner: z.string().nullable(),
  takeovers: Takeovers.nullable().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  ended_at: z.string().nullable(),
})
export type Session = z.infer<typeof Session>

export const SessionEvent = z.discriminatedUnion('type', [
  /** With how far it had come, so that a session that ends every process that drives it is noticed. */
  z.object({
    type: z.literal('taken'),
    owner: z.string(),
    progress: z.string(),
    /** Where its branch is made from now on; left as it was without it. */
    clone: z.string().optional(),
  }),
  /** It waits for a process that goes on with it. */
  z.object({ type: z.literal('queued') }),
  /** With the name of the branch, which the first landing gives it. */
  z.object({ type: z.literal('landing_planned'), landing: PlannedLanding, branch: z.string() }),
  z.object({ type: z.literal('landing_done') }),
  /** The branch is not where it was left: the planned commits will not be put on it. */
  z.object({ type: z.literal('landing_dropped') }),
  z.object({ type: z.literal('verified'), count: z.number().int() }),
  z.object({ type: z.literal('spent_in_vain'), spent: Spent }),
  z.object({ type: z.literal('base_moved'), moved: BaseMoved }),
  z.object({ type: z.literal('warned'), warning: z.string() }),
  z.object({ type: z.literal('released'), reason: z.string() }),
  /** Nothing is left to do until a person has answered. */
  z.object({ type: z.literal('held'), reason: z.string() }),
  /** No agent may run for now: money, quota or a provider is in the way. */
  z.object({ type: z.literal('halted'), halt: SessionHalt }),
  /** One agent's work on several issues was divided among them. */
  z.object({ type: z.literal('batch_done') }),
  z.object({ type: z.literal('clarified'), clarified: Clarified }),
  /** Questions wait for a person; nothing is begun before they are answered. */
  z.object({ type: z.literal('asked'), clarified: Clarified, reason: z.string() }),
  z.object({ type: z.literal('budget_changed'), budget_usd: z.number() }),
  z.object({
    type: z.literal('ended'),
    status: z.enum(['completed', 'partial', 'failed', 'cancelled']),
    reason: z.string().nullable(),
    at: z.string(),
  }),
])
export type SessionEvent = z.infer<typeof SessionEvent>

/** Why a session ends that a person has cancelled; it cannot be resumed. */
export const cancelledByPerson = 'cancelled by a person'

const finals: readonly SessionStatus[] = ['completed', 'partial', 'failed', 'cancelled']

/** The statuses of a session that somebody or something may still go on with. */
export const openStatuses: readonly SessionStatus[] = SessionStatus.options.filter(
  (status) => !finals.includes(status),
)

export const isOver = (session: Pick<Session, 'status'>): boolean => finals.includes(session.status)

/** The session's policy: where each event leads. Pure; an impossible pair is a fault. */
export function advanceSession(session: Session, event: SessionEvent): Session {
  if (isOver(session))
    throw new Fault('internal', `${session.id} is ${session.status}: "${event.type}" cannot happen any more`)
  switch (event.type) {
    case 'taken':
      return takenBy(session, event)
    case 'queued':
      return { ...withoutOwner(session, 'pending', null), halt: null }
    case 'verified':
      return { ...session, verifications_run: session.verifications_run + event.count }
    case 'spent_in_vain':
      return { ...session, spent_in_vain: addSpent(session.spent_in_vain ?? nothingSpent, event.spent) }
    case 'base_moved':
      return { ...session, base_moved: event.moved }
    case 'warned':
      return { ...session, warnings: [...(session.warnings ?? []), event.warning] }
    case 'landing_planned':
      if (session.landing) throw new Fault('internal', `${session.id} is landing already`)
      return { ...session, branch: event.branch, landing: event.landing }
    case 'landing_done':
      if (!session.landing) throw new Fault('internal', `${session.id} has nothing to land`)
      return { ...session, tip: session.landing.to, branch_made: true, landing: null }
    case 'landing_dropped':
      return { ...session, landing: null }
    case 'released':
      // One that nobody has begun to drive rests like one that was stopped.
      return withoutOwner(session, session.status === 'pending' ? 'running' : session.status, event.reason)
    case 'held':
      return withoutOwner(session, 'awaiting_approval', event.reason)
    case 'halted':
      return {
        ...withoutOwner(session, 'parked', `${event.halt.kind}: ${event.halt.reason}`),
        halt: event.halt,
      }
    case 'batch_done':
      return session
    case 'clarified':
      return { ...session, clarified: event.clarified }
    case 'asked':
      return {
        ...withoutOwner(session, 'awaiting_clarification', event.reason),
        clarified: event.clarified,
      }
    case 'budget_changed':
      return { ...session, options: { ...session.options, budget_usd: event.budget_usd } }
    case 'ended':
      if (session.landing) throw new Fault('internal', `${session.id} cannot end in the middle of a landing`)
      return { ...session, status: event.status, reason: event.reason, owner: null, ended_at: event.at }
  }
}

/** The session as it waits for somebody, with no process that drives it. */
const withoutOwner = (session: Session, status: SessionStatus, reason: string | null): Session => ({
  ...session,
  status,
  owner: null,
  reason,
})

const takenBy = (
  session: Session,
  { owner, progress, clone }: Extract<SessionEvent, { type: 'taken' }>,
): Session => ({
  ...session,
  ...(clone !== undefined && { clone }),
  ...takeoversAfter(session, progress),
  status: 'running',
  reason: null,
  halt: null,
  owner,
})

/** A takeover from an owner that is gone counts; a session without an owner starts the count anew. */
function takeoversAfter(
  { owner, takeovers }: Session,
  progress: string,
): Partial<Pick<Session, 'takeovers'>> {
  if (owner === null) return takeovers ? { takeovers: null } : {}
  const before = takeovers?.progress === progress ? takeovers.count : 0
  return { takeovers: { count: before + 1, progress } }
}

/** How far the attempts have come, in a text that is another one after every step. */
export function progressOf(attempts: readonly Pick<Attempt, 'stage' | 'rounds'>[]): string {
  const rounds = attempts.reduce((sum, attempt) => sum + attempt.rounds.length, 0)
  const stages = Map.groupBy(attempts, ({ stage }) => stage)
  return [...stages, ['round', { length: rounds }] as const]
    .map(([stage, { length }]) => `${length} ${stage}`)
    .toSorted()
    .join(', ')
}

/** The same request was made a moment ago, and its session is not over. */
export const alreadyRunning = (id: SessionId): Fault =>
  new Fault('already_running', `the same request is session ${id}, which is not over yet`, {
    hint: `Follow it, go on with it (fixpoint resume ${id}), or start anew with force.`,
    details: { session_id: id },
  })
