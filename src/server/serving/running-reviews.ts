import type { Store } from '../../adapters/store/index.ts'
import { isDriven } from '../../adapters/process/run-mark.ts'
import { redactor } from '../../app/redact/redact-exits.ts'
import type { App } from '../../app/open-app.ts'
import { resolveBase } from '../../app/resolve-base.ts'
import {
  reviewRepository,
  reviewResult,
  type ReviewAsk,
  type Reviewed,
} from '../../app/review/review-repository.ts'
import { describeScope, type ReviewScope } from '../../app/review/review-scope.ts'
import type { ReviewView } from '../../model/api/repositories.ts'
import { agentsOfRole } from '../../model/config/config.ts'
import { asFault, Fault } from '../../model/fault.ts'
import { ReviewId, type RepositoryId } from '../../model/id.ts'
import type { Review } from '../../model/issue/review.ts'
import type { ReviewEvent } from '../../model/issue/review-event.ts'
import { createReviewLog, type ReviewLog } from './review-log.ts'

/** A review that this process has begun; what happens in it can be followed. */
export interface RunningReview extends Pick<ReviewLog, 'events' | 'live' | 'listen'> {
  readonly view: () => ReviewView
  /** Its result. The caller that begins a review need not wait for it. */
  readonly done: Promise<Reviewed>
  readonly cancel: () => void
}

/** The reviews of this process: those that run, and the last ones that ended. */
export interface RunningReviews {
  /** Begins a review, whether or not anybody listens; closes the application when it is over. */
  begin(app: App, scope: ReviewScope): Promise<RunningReview>
  find(id: string): RunningReview | null
  /** Newest first. */
  ofRepository(id: RepositoryId): readonly ReviewView[]
  /** Ends those that run and waits for them. */
  stopAll(): Promise<void>
}

/** So many are remembered with what their reviewers said. */
const mostRemembered = 50

export function createRunningReviews(): RunningReviews {
  const runs = new Map<string, RunningReview>()
  let isStopping = false
  const forget = (): void => {
    for (const [id, run] of runs) {
      if (runs.size <= mostRemembered) return
      if (run.view().state !== 'running') runs.delete(id)
    }
  }
  return {
    async begin(app, scope) {
      if (isStopping)
        throw new Fault('busy', 'the server is stopping', { hint: 'Try again when it is back.' })
      const run = await beginReview(app, scope)
      runs.set(run.view().id, run)
      forget()
      return run
    },
    find: (id) => runs.get(id) ?? null,
    ofRepository: (id) =>
      [...runs.values()]
        .map(({ view }) => view())
        .filter(({ repository_id }) => repository_id === id)
        .toReversed(),
    async stopAll() {
      isStopping = true
      for (const { cancel } of runs.values()) cancel()
      await Promise.allSettled([...runs.values()].map(({ done }) => done))
    },
  }
}

async function beginReview(app: App, scope: ReviewScope): Promise<RunningReview> {
  const { ids, clock } = await app.ports()
  const now = (): string => new Date(clock.now()).toISOString()
  const id = ReviewId.parse(ids.next('rev'))
  let view: ReviewView = {
    id,
    repository_id: app.repository.id,
    kind: 'review',
    commit: (await resolveBase(app)).commit,
    scope: describeScope(scope),
    state: 'running',
    reviewers: [],
    created_at: now(),
    error: null,
  }
  const ending = new AbortController()
  const log = createReviewLog((event) => redactor.value({ ...event, timestamp: now(), review_id: id }))
  const reviewers = agentsOfRole(app.loaded.config.agents, 'reviewer').map(({ name }) => name)
  log.add({ type: 'review_started', message: view.scope ?? '', details: { reviewers, scope: view.scope } })
  const run = async (): Promise<Reviewed> => {
    try {
      const ask = { ...scope, id, onProgress: logProgress(log) }
      const reviewed = await reviewRepository(app, ask, ending.signal)
      const { reviewers: _, ...counts } = reviewResult(reviewed)
      view = reviewView(reviewed.review, app.store)
      log.add({ type: 'review_completed', message: describeEnd(reviewed), details: counts })
      return reviewed
    } catch (error) {
      const { code, message } = asFault(error)
      const isCancelled = ending.signal.aborted
      const reason = isCancelled ? 'cancelled by a person' : message
      const kept = await app.store.reviews.get(id)
      const ended = kept ? reviewView(kept, app.store) : view
      view = { ...ended, state: isCancelled ? 'cancelled' : 'failed', error: reason }
      log.add({ type: 'review_error', message: reason, details: { code } })
      throw error
    } finally {
      await app.close()
    }
  }
  const done = run()
  done.catch(() => undefined)
  return { view: () => view, done, cancel: () => ending.abort(), ...log }
}

const describeEnd = ({ findings, created, changed }: Reviewed): string =>
  `${findings} findings: ${created} new issues, ${changed} updated`

/** Puts what reviewers do into words. */
const logProgress =
  ({ add, say }: ReviewLog): NonNullable<ReviewAsk['onProgress']> =>
  (progress) => {
    const { agent } = progress
    if (progress.type === 'said') say(agent, progress.text)
    else if (progress.type === 'began') say(agent, `${agent} reads ${progress.files} files`)
    else
      add({
        type: 'review_result',
        agent,
        message: progress.reason ?? `${progress.findings ?? 0} findings`,
        details: { findings: progress.findings, reason: progress.reason },
      })
  }

/** A review on record, as lists show it: one that another process runs is running here too. */
export function reviewView({ running, ...review }: Review, store: Pick<Store, 'isOwnerAlive'>): ReviewView {
  if (running && isDriven(store, running)) return { ...review, state: 'running', reviewers: [], error: null }
  const reasons = review.reviewers.flatMap(({ agent, reason }) =>
    reason === null ? [] : [`${agent}: ${reason}`],
  )
  return { ...review, error: review.state === 'failed' ? reasons.join('; ') : null }
}

/** The durable events of a review that another process ran or runs, as far as its record tells. */
export function eventsOfRecord(review: Review, store: Pick<Store, 'isOwnerAlive'>): readonly ReviewEvent[] {
  const base = { timestamp: review.created_at, review_id: review.id, agent: null, details: {} }
  const reviewers = review.reviewers.map(({ agent }) => agent)
  const findings = review.reviewers.reduce((sum, reviewer) => sum + reviewer.findings, 0)
  const { state, error } = reviewView(review, store)
  const started = {
    ...base,
    type: 'review_started' as const,
    message: review.scope ?? '',
    details: { reviewers, scope: review.scope },
  }
  if (state === 'running') return [{ ...started, seq: 1 }]
  const events: readonly Omit<ReviewEvent, 'seq'>[] = [
    started,
    ...review.reviewers.map(({ agent, findings: count, reason }) => ({
      ...base,
      type: 'review_result' as const,
      agent,
      message: reason ?? `${count} findings`,
      details: { findings: count, reason },
    })),
    {
      ...base,
      type: state === 'failed' ? 'review_error' : 'review_completed',
      message: error ?? `${findings} findings`,
      details: { review_id: review.id, state, findings },
    },
  ]
  return events.map((event, index) => ({ ...event, seq: index + 1 }))
}
