import { belongsToHome, createRunMark, isDriven, parseRunMark } from '../../adapters/process/run-mark.ts'
import { readLeftReview } from '../../loop/review/kept-answers.ts'
import { storeFindings } from '../../loop/triage/store-findings.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import { asFault } from '../../model/fault.ts'
import type { ReviewId } from '../../model/id.ts'
import type { Review } from '../../model/issue/review.ts'
import type { App } from '../open-app.ts'
import { resolveBase } from '../resolve-base.ts'
import { describeScope, type ReviewScope } from './review-scope.ts'

interface BegunReview extends ReviewScope {
  readonly id: ReviewId
  /** Set for one that was ordered: its order says who runs it, and how it ends. */
  readonly order?: object
  readonly revision: Revision
}

const endedEarly = 'its process ended before the review was done'

/** Keeps the review on record while it runs, so that every process sees it, and the next one can finish it. */
export async function whileRecorded<Value>(
  app: App,
  begun: BegunReview,
  run: () => Promise<Value>,
): Promise<Value> {
  const record = await recordOf(app, begun)
  const { revision, pending, order } = begun
  const owner = order ? null : createRunMark(app.home)
  const running = { owner, tree: revision.tree, is_committed: !pending }
  await write(app, { ...record, running })
  try {
    return await run()
  } catch (error) {
    const left = await app.store.reviews.get(begun.id)
    if (left?.running && !order) await write(app, failedFor(record, asFault(error).message))
    throw error
  }
}

/** Writes the review's row and no finding. */
async function write(app: App, review: Review): Promise<void> {
  const { issues } = await app.ports()
  await issues.triage({ review, count: 0, parts: [] })
}

async function recordOf(app: App, { id, revision, order: _job, ...scope }: BegunReview): Promise<Review> {
  const { agents, scanners, clock } = await app.ports()
  const names = [...agents.forRole('reviewer').map(({ agent }) => agent.name), ...scanners.names]
  const failed = { state: 'failed', reason: endedEarly, findings: 0, coverage: null } as const
  return {
    id,
    repository_id: app.repository.id,
    kind: 'review',
    commit: revision.commit,
    scope: describeScope(scope),
    state: 'failed',
    reviewers: names.map((agent) => ({ agent, ...failed })),
    created_at: new Date(clock.now()).toISOString(),
  }
}

/** A review that ended before all of its reviewers were done, as it is kept. */
export const failedFor = (review: Review, reason: string): Review => ({
  ...review,
  reviewers: review.reviewers.map((one) => (one.reason === endedEarly ? { ...one, reason } : one)),
})

/** A review that is under way is among the newest. */
const mostReviews = 20

/** Brings the reviews that dead processes of this home left to their end, with what their reviewers had answered. */
export async function finishLeftReviews(app: App): Promise<void> {
  for (const { running, ...review } of await app.store.reviews.running(app.repository.id, mostReviews))
    if (running && isLeftHere(app, running)) await finishReview(app, review, running)
}

type Running = NonNullable<Review['running']>

/** One without an owner was ordered, and somebody goes on with it. */
function isLeftHere({ home, store }: App, running: Running): boolean {
  const mark = parseRunMark(running.owner ?? '')
  return mark !== null && belongsToHome(mark, home) && !isDriven(store, running)
}

/** Stores what the reviewers of an unfinished review had answered. */
export async function finishReview(
  app: App,
  left: Omit<Review, 'running'>,
  running: Running,
): Promise<Pick<Review, 'state'> & { readonly findings: number }> {
  const ports = await app.ports()
  const { review, findings } = await readLeftReview(left, ports)
  await storeFindings(
    {
      review,
      revision: { commit: left.commit, tree: running.tree },
      findings,
      classes: app.loaded.config.classes,
      ...(!running.is_committed && { committed: (await resolveBase(app)).tree }),
    },
    ports,
  )
  return { state: review.state, findings: findings.length }
}
