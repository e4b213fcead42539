/** The ports over what several processes share: the queue of work, who takes it, and the services behind the agents. */

import type { AttemptId, RepositoryId, SessionId } from '../model/id.ts'
import type { Worker } from '../model/worker.ts'

/**
 * A reason to look at a session, or at one of its attempts that was given out. The rows say what is to be done, so that
 * a lost or doubled job does no harm.
 */
export interface QueueEntry {
  readonly sessionId: SessionId
  readonly repositoryId: RepositoryId
  /** The attempt that is to be looked at; the session itself without it. */
  readonly attemptId?: AttemptId
  /** How often a worker has looked at it and could not go on with it. */
  readonly refusals: number
}

export interface QueueTerms {
  /** Of two jobs that wait, the one with the lower turn is given out first; of the same turn, the older one. */
  readonly turn?: number
  /** Nobody gets it earlier than this. */
  readonly delayMs?: number
}

/** What jobs are about. */
export type QueueKind = 'sessions' | 'attempts'

export interface Queue {
  /** Adds a job, unless one for the same session or attempt waits already. */
  send(job: QueueEntry, terms?: QueueTerms): Promise<void>
  /** Gives jobs to a handler until it is stopped. Only one of all workers gets a job. */
  work(request: WorkRequest): Promise<QueueTaker>
  /** How many jobs of a kind wait. */
  depth(kind: QueueKind): Promise<number>
  close(): Promise<void>
}

export interface WorkRequest {
  readonly kind: QueueKind
  /** How many jobs this worker handles at the same time. */
  readonly atOnce: number
  readonly handle: (job: QueueEntry) => Promise<void>
}

export interface QueueTaker {
  /** Takes no more jobs, and waits for those that are being handled. */
  stop(): Promise<void>
}

/** The state of the services behind agents, which all processes share. */
export interface ProviderStore {
  /** Takes one of `most` places of a provider; null when all are taken by somebody who is alive. */
  enter(provider: string, most: number, holder: string): Promise<number | null>
  /** Says that the holder is alive and keeps its place. */
  stay(provider: string, place: number, holder: string): Promise<void>
  leave(provider: string, place: number, holder: string): Promise<void>
  /** Nobody asks the provider before then. */
  pause(provider: string, pause: ProviderPause): Promise<void>
  /** Null when it may be asked. */
  paused(provider: string): Promise<ProviderPause | null>
}

export interface ProviderPause {
  readonly untilMs: number
  readonly kind: 'rate_limited' | 'overloaded'
  readonly reason: string
}

/** Who takes sessions from the queue. */
export interface WorkerStore {
  /** Whether this process does a chore of all workers this time; each chore is done by one of them. */
  claim(chore: string, everyMs: number): Promise<boolean>
  /** Says that a worker is alive, and what it does. */
  put(worker: Worker): Promise<void>
  remove(id: string): Promise<void>
  list(): Promise<readonly SeenWorker[]>
}

export interface SeenWorker {
  readonly worker: Worker
  /** How long ago it was heard of. */
  readonly silentMs: number
}
