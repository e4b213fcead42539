import { cancelledByPerson } from '../../model/session/session.ts'
import { Fault } from '../../model/fault.ts'
import { SessionId, type CommitId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { judgePasses, type Convergence, type Pass } from '../../model/session/pass.ts'
import { resolveBase } from '../resolve-base.ts'
import { listIssues } from './choose-issues.ts'
import type { FixOutcome } from './stored-session.ts'
import type { FixRequest } from './fix-issues.ts'
import type { App } from '../open-app.ts'
import { reviewRepository } from '../review/review-repository.ts'

export interface UntilClean {
  readonly request: FixRequest
  readonly maxPasses: number
  readonly signal: AbortSignal
  /** Runs one session; the caller decides how it is shown. */
  readonly fix: (request: FixRequest) => Promise<FixOutcome>
  readonly onPass: (pass: Pass) => void
}

export interface Converged {
  readonly outcomes: readonly FixOutcome[]
  readonly passes: readonly Pass[]
  readonly isClean: boolean
  /** Whether only money was missing for another pass. */
  readonly isOverBudget: boolean
  /** Why nobody could look at what the last pass changed, where that is so. */
  readonly fault: Fault | null
  readonly reason: string
}

const notClean = { isClean: false, isOverBudget: false, fault: null } as const

/** Fixes, lets the reviewers look at what the fixes changed, fixes what they find, and stops with a reason. */
export async function fixUntilClean(
  app: App,
  { request, maxPasses, signal, fix, onPass }: UntilClean,
): Promise<Converged> {
  const base = await resolveBase(app, request.base)
  const outcomes: FixOutcome[] = []
  const passes: Pass[] = []
  const stop = (ended: Pick<Converged, 'reason'> & Partial<Converged>): Converged => ({
    outcomes,
    passes,
    ...notClean,
    ...ended,
  })
  const seen = new Map(request.issues.map((issue) => [issue.id, issue]))
  const budgetUsd = app.loaded.config.fix.budget_usd
  let spentUsd = 0
  let next: FixRequest = request
  for (;;) {
    const outcome = await fix(next)
    outcomes.push(outcome)
    const stopped = cannotGoOn(outcome, signal)
    if (stopped) return stop({ reason: stopped })
    const { result } = outcome
    const branch = result.branch_name ?? outcomes.find((one) => one.result.branch_name)?.result.branch_name
    const sessionId = SessionId.parse(result.session_id)
    const looked = branch
      ? await lookAgain(app, { base: base.commit, branch, seen, sessionId, signal }).catch(asReviewFault)
      : nothingToSee(outcome)
    if (looked instanceof Fault) return stop(unseen(looked))
    const pass = passOf(passes.length + 1, outcome, looked)
    passes.push(pass)
    onPass(pass)
    const judged: Convergence = judgePasses(passes, maxPasses)
    if (judged.over) return stop({ isClean: judged.isClean, reason: judged.reason })
    spentUsd += result.cost_usd + looked.costUsd
    const left = budgetUsd === null ? null : budgetUsd - spentUsd
    if (left !== null && left <= 0)
      return stop({ isOverBudget: true, reason: `budget: $${spentUsd.toFixed(2)} are spent` })
    looked.fresh.forEach((issue) => seen.set(issue.id, issue))
    next = {
      ...request,
      ...(left !== null && { budgetUsd: left }),
      issues: looked.fresh,
      ...(branch && { branch, useExistingBranch: true }),
      base: branch ?? base.commit,
      force: true,
    }
  }
}

/** What has landed so far stays, and is told. */
const unseen = (fault: Fault): Pick<Converged, 'fault' | 'reason'> => ({
  fault,
  reason: `not known to be clean, nobody could look at what the fixes changed: ${fault.message}`,
})

function asReviewFault(error: unknown): Fault {
  if (error instanceof Fault && error.code === 'review_failed') return error
  throw error
}

function passOf(number: number, { result }: FixOutcome, { found }: Looked): Pass {
  const fixed = result.issues_fixed
  return {
    pass: number,
    session_id: result.session_id,
    fixed,
    ...found,
    induced_ratio: fixed === 0 ? null : Math.round((found.fix_induced.length / fixed) * 100) / 100,
  }
}

function cannotGoOn({ result }: FixOutcome, signal: AbortSignal): string | null {
  if (signal.aborted) return 'stopped by a person'
  if (result.resumable) return `the session waits: ${result.reason ?? result.status}`
  return result.status === 'cancelled' ? cancelledByPerson : null
}

interface Look {
  readonly base: CommitId
  readonly branch: string
  readonly seen: ReadonlyMap<Issue['id'], Issue>
  /** The session that has just ended. */
  readonly sessionId: SessionId
  readonly signal: AbortSignal
}

interface Looked {
  readonly found: Pick<Pass, 'review' | 'confirmed' | 'denied' | 'latent' | 'fix_induced'>
  readonly fresh: readonly Issue[]
  readonly costUsd: number
}

const nothingFound = { confirmed: [], denied: [], latent: [], fix_induced: [] } as const

const nothingToSee = ({ exitCode }: FixOutcome): Looked => ({
  found: { review: exitCode === 0 ? 'not_needed' : 'none', ...nothingFound },
  fresh: [],
  costUsd: 0,
})

const dismissed: ReadonlySet<Issue['status']> = new Set(['ignored', 'duplicate'])

/** Reviews the changes since the base: the issues that it confirms, those that it denies, and new ones, made by the fixes or not. */
async function lookAgain(app: App, { base, branch, seen, sessionId, signal }: Look): Promise<Looked> {
  const { review } = await reviewRepository(app, { paths: [], base, head: branch }, signal)
  if (review.state !== 'complete' && review.reviewers.every(({ state }) => state === 'failed'))
    throw new Fault('review_failed', 'no reviewer could look at what the fixes changed')
  const created = await listIssues(app, { taskId: review.id })
  const fresh = created.filter((issue) => !seen.has(issue.id) && issue.status === 'open')
  const induced = await inducedBy(app, fresh, { base, branch })
  for (const id of induced)
    await app.store.issues.change(id, 'engine', (issue) => ({ ...issue, induced_by: sessionId }))
  const again = await foundAgain(app, [...seen.keys()], review.id)
  const issues = await app.store.issues.get([...seen.keys()])
  const read = new Set(review.coverage?.flatMap(({ file, state }) => (state === 'reviewed' ? [file] : [])))
  return {
    costUsd: review.reviewers.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
    found: {
      review: review.state === 'complete' ? 'complete' : 'partial',
      confirmed: issues
        .filter(({ id, status }) => again.has(id) && !dismissed.has(status))
        .map(({ code }) => code),
      // Silence means something only for a file that was read.
      denied: issues
        .filter(({ id, status, file }) => !again.has(id) && status !== 'resolved' && read.has(file ?? ''))
        .map(({ code }) => code),
      latent: fresh.filter(({ id }) => !induced.has(id)).map(({ code }) => code),
      fix_induced: fresh.filter(({ id }) => induced.has(id)).map(({ code }) => code),
    },
    fresh,
  }
}

async function foundAgain(
  app: App,
  ids: readonly Issue['id'][],
  reviewId: string,
): Promise<ReadonlySet<Issue['id']>> {
  const seenAgain = await Promise.all(
    ids.map(async (id) => {
      const findings = await app.store.reviews.findingsOf(id)
      return findings.some(({ review_id }) => review_id === reviewId) ? [id] : []
    }),
  )
  return new Set(seenAgain.flat())
}

/** The issues on lines that a commit of the branch wrote: the fixes made these, everything else was there before. */
async function inducedBy(
  app: App,
  issues: readonly Issue[],
  { base, branch }: Pick<Look, 'base' | 'branch'>,
): Promise<ReadonlySet<Issue['id']>> {
  const { trees } = await app.ports()
  const tip = await resolveBase(app, branch)
  const placed = issues.flatMap(({ id, file, line }) =>
    file !== null && line !== null ? [{ id, file, line }] : [],
  )
  const commits = await trees.blame(tip.commit, placed)
  const isOurs = await Promise.all(
    commits.map(async (commit) => commit !== null && !(await trees.isReached(commit, base))),
  )
  return new Set(placed.filter((_, index) => isOurs[index]).map(({ id }) => id))
}
