import { createRunMark, isDriven, isOwnProcess } from '../../adapters/process/run-mark.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { Queue, QueueTaker, ReviewEntry, TakenReview } from '../../loop/ports.ts'
import { asFault, Fault } from '../../model/fault.ts'
import type { ReviewId } from '../../model/id.ts'
import type { ReviewOrder } from '../../model/review/review-order.ts'
import { requireTrusted } from '../fix/require-trusted.ts'
import type { App } from '../open-app.ts'
import { endReview, type ReviewEnd, type ReviewListener } from './end-review.ts'
import { runTakenReview } from './run-review.ts'

export interface ReviewWorkerParts {
  readonly home: string
  readonly store: Store
  readonly queue: Queue
  /** Opens the application on the repository of a review; the worker closes it. */
  readonly openForReview: (order: ReviewOrder) => Promise<App>
  readonly reviewListener?: ReviewListener
  readonly onError: (error: unknown, what: string) => void
  /** How often a review that this process cannot begin is handed to another one, before it has failed. */
  readonly handBacks: number
}

export interface ReviewWorker {
  ids(): readonly ReviewId[]
  /** Runs a review here, unless somebody runs it already, and whoever else may take it; resolves when it rests. */
  look(id: ReviewId): Promise<void>
  /** Takes nothing more, gives reviewers the grace to finish, and leaves the others' reviews to the next process. */
  stop(graceMs: number): Promise<void>
}

/** Takes reviews that somebody asked for, and runs each to its end; with no places it takes none by itself. */
export async function startReviewWorker(parts: ReviewWorkerParts, atOnce: number): Promise<ReviewWorker> {
  const running = new Map<ReviewId, Promise<void>>()
  const leaving = new AbortController()
  let isStopping = false
  const handle = async (entry: ReviewEntry): Promise<void> => {
    const { reviewId } = entry
    if (isStopping || running.has(reviewId)) return
    const done = handleEntry(entry, { ...parts, leaving: leaving.signal }).catch((error: unknown) =>
      parts.onError(error, reviewId),
    )
    running.set(reviewId, done)
    await done.finally(() => running.delete(reviewId))
  }
  const taker: QueueTaker | null =
    atOnce === 0 ? null : await parts.queue.work({ kind: 'reviews', atOnce, handle })
  return {
    ids: () => [...running.keys()],
    async look(reviewId) {
      const stored = await parts.store.reviewOrders.read(reviewId)
      if (stored) await handle({ reviewId, repositoryId: stored.order.repository_id, refusals: 0 })
    },
    async stop(graceMs) {
      isStopping = true
      const leave = (): void => leaving.abort(new Fault('busy', 'the process that ran the review stops'))
      const hurry = setTimeout(leave, graceMs)
      await Promise.all([taker?.stop(), ...running.values()])
      clearTimeout(hurry)
    },
  }
}

interface Handling extends ReviewWorkerParts {
  readonly leaving: AbortSignal
}

/** A review that so many processes in a row did not survive is not given to another one. */
const mostDeaths = 3
const handBackMs = 2_000

async function handleEntry(entry: ReviewEntry, parts: Handling): Promise<void> {
  const { store, home, onError } = parts
  const found = await store.reviewOrders.read(entry.reviewId)
  if (!found) return
  // One that this very process owns and does not run was lost with its database.
  const isElsewhere = found.owner !== null && !isOwnProcess(found.owner) && isDriven(store, found)
  if (isElsewhere) return
  const taken = await store.reviewOrders.take(
    { reviewId: entry.reviewId, number: found.number },
    createRunMark(home),
  )
  if (!taken) return
  const end = await workOn(taken, { entry, before: found.owner }, parts).catch((error: unknown) => {
    onError(error, entry.reviewId)
    return endAfter(error)
  })
  await settle(taken, { end, entry }, parts)
}

interface Work {
  readonly entry: ReviewEntry
  /** Who had it before. */
  readonly before: string | null
}

async function workOn(taken: TakenReview, { before }: Work, parts: Handling): Promise<ReviewEnd> {
  const { order } = taken
  if (order.wish === 'end') return { kind: 'cancelled' }
  if (order.deaths >= mostDeaths)
    return failure(
      new Fault('review_failed', `${mostDeaths} processes in a row ended while they ran it`, {
        hint: 'Repair what ends them, then ask for the review again.',
      }),
    )
  let app: App
  try {
    app = await parts.openForReview(order)
  } catch (error) {
    return { kind: 'refused', fault: asFault(error) }
  }
  try {
    const revisions = ['HEAD', ...(order.scope.base === undefined ? [] : [order.scope.base])]
    const refusal = await requireTrusted(app, { for: 'review', revisions }).then(
      () => null,
      (error: unknown) => ({ kind: 'refused' as const, fault: asFault(error) }),
    )
    return refusal ?? (await runTakenReview(app, taken, { ...parts, before }))
  } finally {
    await app.close()
  }
}

const failure = (fault: Fault): ReviewEnd => ({ kind: 'failed', fault })

/** A service that is away is waited for; whoever was overtaken has nothing more to say. */
function endAfter(error: unknown): ReviewEnd {
  const fault = asFault(error)
  if (fault.code === 'busy') return { kind: 'left' }
  const isAway = fault.code === 'store_unreachable' || fault.code === 'artifacts_unreachable'
  return isAway ? { kind: 'left' } : failure(fault)
}

const tries = 300
const againMs = 1_000

/** Writes down how it ended here. A database that is away is tried again: until then others believe that it runs. */
async function settle(
  taken: TakenReview,
  { end, entry }: { readonly end: ReviewEnd; readonly entry: ReviewEntry },
  parts: Handling,
): Promise<void> {
  const { store, queue, handBacks, reviewListener } = parts
  const isPassedOn = end.kind === 'left' || (end.kind === 'refused' && entry.refusals < handBacks)
  for (let count = 1; ; count += 1)
    try {
      if (!isPassedOn) return await endReview(taken, end, { store, reviewListener })
      await store.reviewOrders.giveBack(taken.held)
      const refusals = entry.refusals + (end.kind === 'refused' ? 1 : 0)
      return await queue.send({ ...entry, refusals }, { delayMs: handBackMs })
    } catch (error) {
      if (error instanceof Fault && error.code === 'busy') return
      if (!(error instanceof Fault) || error.code !== 'store_unreachable' || count === tries) throw error
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
}
