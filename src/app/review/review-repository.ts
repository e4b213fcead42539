import type { ReviewProgress, ReviewRequest } from '../../loop/review/ask-reviewer.ts'
import { reviewCode } from '../../loop/review/review-code.ts'
import { followFixes } from '../../loop/triage/follow-fixes.ts'
import { markAbsent } from '../../loop/triage/mark-absent.ts'
import { respectIgnores } from '../../loop/triage/respect-ignores.ts'
import { revisitIssues, wakeIssues } from '../../loop/triage/revisit-issues.ts'
import { storeFindings, type StoredFindings } from '../../loop/triage/store-findings.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import { Fault } from '../../model/fault.ts'
import { ReviewId, type IssueId } from '../../model/id.ts'
import { ruleLevel } from '../../model/config/settings.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import type { Review } from '../../model/issue/review.ts'
import { askOutside } from '../agents/ask-outside.ts'
import { isRuleList } from '../config/load-config.ts'
import { projectIgnores } from './change-base.ts'
import { resolveBase } from '../resolve-base.ts'
import type { App } from '../open-app.ts'
import { recover } from '../recover.ts'
import { finishLeftReviews, whileRecorded } from './review-record.ts'
import { describeScope, resolveScope, type ReviewScope } from './review-scope.ts'
import { onlyCloneOf } from '../carry/only-clone.ts'

export interface Reviewed extends StoredFindings {
  readonly review: Review
  readonly findings: number
  /** The findings as they were reported, before they became issues. */
  readonly found: readonly WrittenFinding[]
  /** Known issues whose code is gone. */
  readonly stale: number
  /** Unresolved issues that the tools which raised them raise no longer. */
  readonly absent: number
  /** Issues that the project's own list ignores, and that were not ignored here. */
  readonly shared: number
}

export interface ReviewAsk extends ReviewScope {
  /** The id that the review gets, where it has to be known before it begins. */
  readonly id?: ReviewId
  /** Set for a review that any process may run; `goesOn` when another one began it. */
  readonly order?: { readonly goesOn: boolean }
  readonly onProgress?: (progress: ReviewProgress) => void
}

/** Lets the configured reviewers look at a commit of the repository, and keeps what they found. */
export async function reviewRepository(app: App, scope: ReviewAsk, signal: AbortSignal): Promise<Reviewed> {
  const ports = await app.ports()
  // The store and the home are put in order while git reads and the reviewers look; what they find is stored afterwards.
  const inOrder = putInOrder(app)
  inOrder.catch(() => undefined) // thrown below, where it is waited for
  const [resolved, ignores] = await Promise.all([resolveScope(app, scope), projectIgnores(app)])
  const id = scope.id ?? ReviewId.parse(ports.ids.next('rev'))
  return whileRecorded(app, { ...scope, id, revision: resolved.revision }, async () =>
    lookAndKeep(
      app,
      { ...scope, id, ignores, inOrder },
      await requestOf(app, { ...scope, id }, { resolved, signal }),
    ),
  )
}

/** What a killed process left is finished, and issues whose time to be ignored is over are open again. */
async function putInOrder(app: App): Promise<void> {
  await recover(app)
  await finishLeftReviews(app)
  await wakeIssues(app.repository.id, await app.ports())
}

async function lookAndKeep(
  app: App,
  scope: ReviewAsk & {
    readonly ignores: Awaited<ReturnType<typeof projectIgnores>>
    readonly inOrder: Promise<void>
  },
  request: ReviewRequest,
): Promise<Reviewed> {
  const ports = await app.ports()
  const { revision, repositoryId } = request
  const { review, findings, looks } = await reviewCode(request, ports)
  await scope.inOrder
  // Whoever stops for another reason than a person's leaves everything to the next process.
  if (request.signal.reason instanceof Fault) throw request.signal.reason
  if (review.state === 'failed') return failReview(app, review, revision)
  const { discarded, ahead } = await followFixes(
    { repositoryId, revision, clone: onlyCloneOf(app) },
    { ...ports, sessions: app.store.sessions },
  )
  const raised = new Set<IssueId>()
  const outcome = await storeFindings(
    {
      review,
      revision,
      findings,
      onRaised: (issues) => issues.forEach((id) => raised.add(id)),
      discarded,
      ahead,
      classes: app.loaded.config.classes,
      ...(scope.pending && { committed: (await resolveBase(app)).tree }),
    },
    ports,
  )
  // An issue is stale when its code is gone from HEAD; another branch or an uncommitted edit does not make it so.
  const isCheckedOut = !scope.pending && scope.head === undefined
  const stale = isCheckedOut ? await revisitIssues({ repositoryId, revision }, ports) : 0
  // Only whole files of HEAD show which issues are raised no more.
  const seen = isCheckedOut && request.changed === null ? looks : []
  const absent = await markAbsent({ repositoryId, looks: seen, raised, isOff: ruleSwitch(app) }, ports)
  const shared = await respectIgnores(app.repository.id, scope.ignores, ports)
  return { ...outcome, review, findings: findings.length, found: findings, stale, absent, shared }
}

/** What the reviewers are asked. */
async function requestOf(
  app: App,
  { id, onProgress, order, ...scope }: ReviewAsk & { readonly id: ReviewId },
  {
    resolved,
    signal,
  }: Pick<ReviewRequest, 'signal'> & {
    readonly resolved: Awaited<ReturnType<typeof resolveScope>>
  },
): Promise<ReviewRequest> {
  const { clock } = await app.ports()
  return {
    ...resolved,
    id,
    repositoryId: app.repository.id,
    scope: describeScope(scope),
    root: app.git.root,
    conventions: app.loaded.config.conventions,
    signal,
    goesOn: order?.goesOn ?? false,
    ...(onProgress && { onProgress }),
    ...askOutside(app, clock),
  }
}

/** Records that nobody gave an answer, which changes no issue, and throws. */
async function failReview(app: App, review: Review, revision: Revision): Promise<never> {
  const { classes } = app.loaded.config
  await storeFindings({ review, revision, findings: [], classes }, await app.ports())
  throw new Fault('review_failed', `no reviewer gave an answer that can be read: ${reasonsOf(review)}`, {
    hint: 'No issue was changed. Look at the reviewers with fixpoint config, then run the review again.',
  })
}

/** Whether a built-in rule is switched off by the configuration. */
function ruleSwitch({ loaded }: App): (rule: string) => boolean {
  const { rules } = loaded.config.review
  return (rule) => !isRuleList(rules) && ruleLevel(rules, rule) === 'off'
}

/** What became of a review, as programs read it. */
export const reviewResult = ({ review, findings, created, changed }: Omit<Reviewed, 'found'>) => ({
  review_id: review.id,
  state: review.state,
  reviewers: review.reviewers,
  findings,
  issues_created: created,
  issues_updated: changed,
})

const reasonsOf = (review: Review): string =>
  review.reviewers.map(({ agent, reason }) => `${agent}: ${reason ?? 'no answer'}`).join('; ') ||
  'none is configured'
