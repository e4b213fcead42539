/** The port over the queue of work that is to be done by some process. */

import type { RepositoryId, SessionId } from '../model/id.ts'

/** A reason to look at a session. The rows say what is to be done, so that a lost or doubled job does no harm. */
export interface QueueEntry {
  readonly sessionId: SessionId
  readonly repositoryId: RepositoryId
  /** How often a worker has looked at it and could not go on with it. */
  readonly refusals: number
}

export interface QueueTerms {
  /** Of two jobs that wait, the one with the lower turn is given out first; of the same turn, the older one. */
  readonly turn?: number
  /** Nobody gets it before so long. */
  readonly delayMs?: number
}

export interface Queue {
  /** Adds a job, unless one for the same session waits already. */
  send(job: QueueEntry, terms?: QueueTerms): Promise<void>
  /** Gives jobs to a handler until it is stopped. Only one of all workers gets a job. */
  work(request: WorkRequest): Promise<QueueTaker>
  /** How many jobs wait. */
  depth(): Promise<number>
  close(): Promise<void>
}

export interface WorkRequest {
  /** How many jobs this worker handles at the same time. */
  readonly atOnce: number
  readonly handle: (job: QueueEntry) => Promise<void>
}

export interface QueueTaker {
  /** Takes no more jobs, and waits for those that are being handled. */
  stop(): Promise<void>
}
