import { z } from 'zod'
import { AttemptId, CommitId, IssueId, RepositoryId, ReviewId, SessionId } from './id.ts'
import { Policy, Revision } from './attempt.ts'
import { EvidenceGrade } from './evidence.ts'
import { Fault } from './fault.ts'
import { Plan } from './plan.ts'
import { CheckCommand } from './verification.ts'

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
  scope: z.object({ path: z.string().nullable(), extra: z.array(z.string()).readonly() }),
  commands: z.array(CheckCommand).readonly(),
  fixer: z.string(),
  challenger: z.string(),
  conventions: z.array(z.string()).readonly(),
  /** Globs of files that only a person may let change, beside the built-in ones. */
  protected: z.array(z.string()).readonly().default([]),
  assisted_by: z.boolean(),
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
})
export type PlannedLanding = z.infer<typeof PlannedLanding>

/** One run that fixes chosen issues of one repository onto one branch. */
export const Session = z.object({
  id: SessionId,
  repository_id: RepositoryId,
  task_id: ReviewId.nullable(),
  status: SessionStatus,
  reason: z.string().nullable(),
  base: Revision,
  /** The newest verified commit: the base until something lands. */
  tip: Revision,
  branch: z.string(),
  /** Whether the branch exists by our hand; until then its name is only reserved. */
  branch_made: z.boolean(),
  issue_ids: z.array(IssueId).readonly(),
  plan: Plan,
  options: SessionOptions,
  landing: PlannedLanding.nullable(),
  verifications_run: z.number().int(),
  /** The process that drives it, so that another one can tell whether it is still there. */
  owner: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  ended_at: z.string().nullable(),
})
export type Session = z.infer<typeof Session>

export const SessionEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('taken'), owner: z.string() }),
  z.object({ type: z.literal('landing_planned'), landing: PlannedLanding }),
  z.object({ type: z.literal('landing_done') }),
  /** The branch is not where it was left: what was planned will not be put on it. */
  z.object({ type: z.literal('landing_dropped') }),
  z.object({ type: z.literal('verified'), count: z.number().int() }),
  z.object({ type: z.literal('released'), reason: z.string() }),
  /** Nothing is left to do until a person has answered. */
  z.object({ type: z.literal('held'), reason: z.string() }),
  z.object({
    type: z.literal('ended'),
    status: z.enum(['completed', 'partial', 'failed', 'cancelled']),
    reason: z.string().nullable(),
    at: z.string(),
  }),
])
export type SessionEvent = z.infer<typeof SessionEvent>

const finals: readonly SessionStatus[] = ['completed', 'partial', 'failed', 'cancelled']

export const isOver = (session: Pick<Session, 'status'>): boolean => finals.includes(session.status)

/** The session's policy: where each event leads. Pure; an impossible pair is a fault. */
export function advanceSession(session: Session, event: SessionEvent): Session {
  if (isOver(session))
    throw new Fault('internal', `${session.id} is ${session.status}: "${event.type}" cannot happen any more`)
  switch (event.type) {
    case 'taken':
      return { ...session, status: 'running', reason: null, owner: event.owner }
    case 'verified':
      return { ...session, verifications_run: session.verifications_run + event.count }
    case 'landing_planned':
      if (session.landing) throw new Fault('internal', `${session.id} is landing already`)
      return { ...session, landing: event.landing }
    case 'landing_done':
      if (!session.landing) throw new Fault('internal', `${session.id} has nothing to land`)
      return { ...session, tip: session.landing.to, branch_made: true, landing: null }
    case 'landing_dropped':
      return { ...session, landing: null }
    case 'released':
      return { ...session, owner: null, reason: event.reason }
    case 'held':
      return { ...session, status: 'awaiting_approval', owner: null, reason: event.reason }
    case 'ended':
      if (session.landing) throw new Fault('internal', `${session.id} cannot end in the middle of a landing`)
      return { ...session, status: event.status, reason: event.reason, owner: null, ended_at: event.at }
  }
}
