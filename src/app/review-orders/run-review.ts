import { countFindings } from '../../model/review/review-event.ts'
import { isOfThisMachine, isOwnProcess } from '../../adapters/process/run-mark.ts'
import { endRunsOf } from '../../adapters/process/sweep-orphans.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { Ports, TakenReview } from '../../loop/ports.ts'
import type { ReviewProgress } from '../../loop/review/ask-reviewer.ts'
import { agentsOfRole } from '../../model/config/config.ts'
import { asFault, Fault } from '../../model/fault.ts'
import type { HeldReview, NewReviewEvent, ReviewOrder } from '../../model/review/review-order.ts'
import type { App } from '../open-app.ts'
import { resolveBase } from '../resolve-base.ts'
import { finishReview } from '../review/review-record.ts'
import { reviewRepository } from '../review/review-repository.ts'
import { describeScope } from '../review/review-scope.ts'
import { eventOf, type ReviewEnd, type ReviewListener } from './end-review.ts'

export interface TakenReviewParts {
  readonly store: Pick<Store, 'reviewOrders' | 'reviews'>
  readonly reviewListener?: ReviewListener
  /** This process stops. */
  readonly leaving: AbortSignal
  /** Who had the review before. */
  readonly before: string | null
}

/** Runs a review that this process has taken, with every write showing that it has. */
export async function runTakenReview(
  app: App,
  taken: TakenReview,
  parts: TakenReviewParts,
): Promise<ReviewEnd> {
  const { held, order, lastSeq } = taken
  const { store, before } = parts
  if (before !== null && isOfThisMachine(before) && !isOwnProcess(before)) await endRunsOf(before)
  const own = withLease(app, held)
  // What nobody committed is in sight of the process that was asked only.
  if (order.scope.pending && !(before !== null && isOwnProcess(before)))
    return finishPending(own, taken, store)
  const watch = watchJob(store, held, parts.leaving)
  const diary = createDiary(taken, parts, watch)
  try {
    const reviewers = agentsOfRole(app.loaded.config.agents, 'reviewer').map(({ name }) => name)
    const scope = describeScope(order.scope)
    if (lastSeq === 0) diary.report(eventOf('review_started', scope, { reviewers, scope }))
    const ask = {
      ...order.scope,
      ...(await headOf(app, order)),
      id: order.review_id,
      order: { goesOn: lastSeq > 0 },
      onProgress: diary.note,
    }
    const { review, findings } = await reviewRepository(own, ask, watch.signal)
    await diary.written()
    return { kind: 'done', state: review.state, findings }
  } catch (error) {
    await diary.written().catch(() => undefined)
    if (watch.signal.aborted && !(watch.signal.reason instanceof Fault)) return { kind: 'cancelled' }
    throw watch.signal.aborted ? watch.signal.reason : error
  } finally {
    watch.close()
  }
}

/** The commit that was asked for; as long as it is the one that is checked out, nothing else is named. */
async function headOf(app: App, { commit }: ReviewOrder): Promise<{ readonly head?: string }> {
  return (await resolveBase(app)).commit === commit ? {} : { head: commit }
}

/** The same application, whose findings are stored only while the review is this process's. */
function withLease(app: App, held: HeldReview): App {
  const ports = async (): Promise<Ports> => {
    const all = await app.ports()
    const { issues } = all
    return { ...all, issues: { ...issues, triage: (request) => issues.triage({ ...request, held }) } }
  }
  return { ...app, ports }
}

async function finishPending(
  app: App,
  { order }: TakenReview,
  { reviews }: Pick<Store, 'reviews'>,
): Promise<ReviewEnd> {
  const begun = await reviews.get(order.review_id)
  if (!begun?.running) throw new Fault('internal', `${order.review_id} is open and not under way`)
  const { running, ...left } = begun
  const finished = await finishReview(app, left, running)
  if (finished.state !== 'failed') return { kind: 'done', ...finished }
  const reason = 'its process ended, and nobody else sees what is not committed'
  return { kind: 'failed', fault: new Fault('review_failed', reason) }
}

/** Writes events in the order in which they happen. A review whose events cannot be written is left to another process. */
function createDiary(
  { held }: TakenReview,
  { store, reviewListener }: TakenReviewParts,
  { lose, isLost }: Pick<ReturnType<typeof watchJob>, 'lose' | 'isLost'>,
) {
  let last: Promise<void> = Promise.resolve()
  const report = (event: NewReviewEvent): void => {
    last = last.then(() => store.reviewOrders.report(held, event))
    last.then(() => reviewListener?.onChange(held.reviewId), lose)
  }
  const note = (progress: ReviewProgress): void => {
    const { agent, type } = progress
    if (type === 'said') reviewListener?.onSaid(held.reviewId, agent, progress.text)
    else if (type === 'began')
      reviewListener?.onSaid(
        held.reviewId,
        agent,
        `${agent} reads ${progress.files} ${progress.files === 1 ? 'file' : 'files'}`,
      )
    else if (!isLost()) {
      const { findings, reason } = progress
      report({
        ...eventOf('review_result', reason ?? countFindings(findings ?? 0), { findings, reason }),
        agent,
      })
    }
  }
  return { report, note, written: () => last }
}

const lookEveryMs = 500

/** Ends the reviewers when a person asks for it, when this process stops, and when the review is somebody else's. */
function watchJob(
  { reviewOrders }: Pick<Store, 'reviewOrders'>,
  { reviewId, number }: HeldReview,
  leaving: AbortSignal,
) {
  const ending = new AbortController()
  const lose = (reason: unknown): void => ending.abort(asFault(reason))
  const look = async (): Promise<void> => {
    const now = await reviewOrders.read(reviewId)
    if (now?.number !== number) lose(new Fault('busy', `${reviewId} was taken over by another process`))
    else if (now.order.wish === 'end') ending.abort('cancelled by a person')
  }
  // A store that cannot be read now is read again in a moment; if it stays so, the next write fails.
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs)
  const onLeave = (): void => lose(leaving.reason)
  if (leaving.aborted) onLeave()
  leaving.addEventListener('abort', onLeave, { once: true })
  return {
    signal: ending.signal,
    lose,
    /** What reviewers that were ended for this say is not for anybody. */
    isLost: () => ending.signal.reason instanceof Fault,
    close() {
      clearInterval(timer)
      leaving.removeEventListener('abort', onLeave)
    },
  }
}
