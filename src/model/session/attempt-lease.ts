import { z } from 'zod'
import { AgentRun } from '../agent/agent.ts'
import type { Attempt } from '../attempt/attempt.ts'
import type { AttemptId, SessionId } from '../id.ts'
import { SessionHalt } from './halt.ts'

const Used = z.object({ usd: z.number(), tokens: z.number() })

/** How a worker gave an attempt back. What the attempt came to stands in its own row. */
export const LeaseEnd = z.object({
  /** Why no agent may run any more, as the worker was told. */
  halt: SessionHalt.nullable(),
  /** Why this worker cannot work on it, where another one may. */
  refusal: z.string().nullable(),
  /** How the last run of a fixer ended. */
  fixer: AgentRun.pick({ agent: true, ending: true }).nullable(),
})
export type LeaseEnd = z.infer<typeof LeaseEnd>

/** An attempt that its session's driver gave out: on which terms, and how far that is. */
export const AttemptLease = z.object({
  /** What it may cost until it is given back; null without a budget. */
  share_usd: z.number().nullable(),
  /** What the driver wants of whoever works on it. */
  wish: z.enum(['go_on', 'stop', 'end']),
  /** What its rounds had cost when it was given out. */
  spent_before: Used,
  /** What its agents have used since. */
  spent: Used,
  /** How many workers in a row ended while they worked on it, without any progress. */
  deaths: z.number().int(),
  /** Where the attempt was when it was given out. */
  progress: z.string(),
  ended: LeaseEnd.nullable(),
})
export type AttemptLease = z.infer<typeof AttemptLease>

/** A lease as it is stored. Whoever takes it makes its number higher, and so does the driver that takes it back. */
export interface StoredLease {
  readonly attemptId: AttemptId
  readonly number: number
  /** Who works on it; null while nobody has taken it. */
  readonly owner: string | null
  readonly lease: AttemptLease
}

/** What a worker has to show with every write: nothing is written under an older number. */
export interface HeldLease {
  readonly sessionId: SessionId
  readonly attemptId: AttemptId
  readonly number: number
}

/** How far an attempt has come, in a text that is another one after every step. */
export const progressOfAttempt = ({ stage, rounds }: Pick<Attempt, 'stage' | 'rounds'>): string =>
  `${stage}, ${rounds.length} rounds`
