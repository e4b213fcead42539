import { isDriven, isOfThisMachine } from '../../adapters/process/run-mark.ts'
import { endRunsOf } from '../../adapters/process/sweep-orphans.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { QueueKind, Queue } from '../../loop/ports.ts'
import { createSharedHands } from '../../loop/session/hand-out.ts'
import { openCarrier } from '../carry/carry-objects.ts'
import { clock } from '../machine.ts'
import { startAttemptWorker, type AttemptWorker } from './attempt-worker.ts'
import {
  startReviewWorker,
  type ReviewWorker,
  type ReviewWorkerParts,
} from '../review-orders/review-worker.ts'
import { agentsAtOnce, type MakeHands } from './running-sessions.ts'
import { startSessionWorker, type SessionWorkerParts } from './session-worker.ts'

export interface WorkTerms {
  /** How many sessions it drives and reviews it runs at once, and, where others share the queue, how many attempts it works on. */
  readonly sessions: number
  readonly reviews: number
  readonly attempts: number
  /** What it takes from the queue; everything without it. */
  readonly only?: QueueKind | undefined
}

export interface Working {
  readonly attempts: AttemptWorker | null
  readonly reviews: ReviewWorker
  /** Takes nothing more; running steps of attempts, and reviewers, get the grace to finish. */
  stop(graceMs: number): Promise<void>
}

/** As many as asked for; else all that a machine's agents have places for. */
export const attemptsAtOnce = (asked: number | null): number => asked ?? agentsAtOnce

export type WorkingParts = SessionWorkerParts & ReviewWorkerParts

/**
 * Takes sessions, reviews and, of a queue that several processes share, attempts. A process alone works on those of its
 * own sessions.
 */
export async function startWorking(parts: WorkingParts, terms: WorkTerms): Promise<Working> {
  const takes = (kind: QueueKind): boolean => terms.only === undefined || terms.only === kind
  const isShared = parts.store.watch !== null
  const attempts = isShared && takes('attempts') ? await startAttemptWorker(parts, terms.attempts) : null
  const reviews = await startReviewWorker(parts, takes('reviews') ? terms.reviews : 0)
  const sessions = takes('sessions') ? await startSessionWorker(parts, terms.sessions) : null
  return {
    attempts,
    reviews,
    stop: async (graceMs) =>
      void (await Promise.all([sessions?.stop(), attempts?.stop(graceMs), reviews.stop(graceMs)])),
  }
}

/** Where several processes share the queue, the attempts of a session go to whoever takes them. */
export function handsOver(store: Store, queue: Queue): MakeHands | undefined {
  const { watch, leases } = store
  if (watch === null) return undefined
  const parts = {
    leases,
    queue,
    watch,
    clock,
    isGone: async (owner: string): Promise<boolean> => {
      if (isDriven(store, { owner })) return false
      // One that began a moment ago may not have been seen yet.
      await store.readOwners()
      return !isDriven(store, { owner })
    },
    endRunsOf: async (owner: string): Promise<void> => {
      if (isOfThisMachine(owner)) await endRunsOf(owner)
    },
  }
  return ({ home, env, git, loaded }, id, isLeaving) => {
    const { bring } = openCarrier({ home, env, git, artifactsUrl: loaded.config.artifacts.url })
    return createSharedHands({ ...parts, bring, isLeaving }, id)
  }
}
