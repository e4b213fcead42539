import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReviewView } from '../../../src/model/api/repositories.ts'
import { reviewsQuery } from '../api/queries.ts'
import { serverNow } from '../api/server-time.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { formatAgo, formatCost, plural, shortSha } from '../ui/format.ts'
import { Card, PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { visible } from '../ui/visible.ts'
import { CoverageTree } from './coverage-tree.tsx'
import { ImportReport } from './import-report.tsx'
import { RunningReview } from './running-review.tsx'
import { StartReview } from './start-review.tsx'

/** Reviews and imports, newest first: who looked, at how much, and what they found. */
export function ReviewsPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/reviews' })
  const { review: opened } = useSearch({ from: '/r/$repositoryId/reviews' })
  const navigate = useNavigate({ from: '/r/$repositoryId/reviews' })
  const query = useQuery(reviewsQuery(repositoryId))
  return (
    <>
      <PageHead title="Reviews" note={query.data && plural(query.data.reviews.length, 'review')}>
        <ImportReport repositoryId={repositoryId} />
      </PageHead>
      <PageBody>
        <StartReview repositoryId={repositoryId} />
        <Shown query={query}>
          {({ reviews }) =>
            reviews.length === 0 ? (
              <Empty title="Nobody has looked at this repository yet">
                Start a review above, or drop the report of another tool here.
              </Empty>
            ) : (
              <>
                {reviews.filter(isRunning).map((review) => (
                  <RunningReview key={review.id} review={review} />
                ))}
                <Card title="Earlier reviews" padded={false}>
                  <ul className="divide-y">
                    {reviews
                      .filter((review) => !isRunning(review))
                      .map((review) => (
                        <ReviewItem
                          key={review.id}
                          review={review}
                          isOpen={review.id === opened}
                          onToggle={() =>
                            void navigate({
                              search: review.id === opened ? {} : { review: review.id },
                              replace: true,
                            })
                          }
                        />
                      ))}
                  </ul>
                </Card>
              </>
            )
          }
        </Shown>
      </PageBody>
    </>
  )
}

const isRunning = ({ state }: ReviewView): boolean => state === 'running'

interface ItemProps {
  readonly review: ReviewView
  readonly isOpen: boolean
  readonly onToggle: () => void
}

function ReviewItem({ review, isOpen, onToggle }: ItemProps) {
  const found = review.reviewers.reduce((sum, { findings }) => sum + findings, 0)
  const cost = review.reviewers.reduce((sum, { cost_usd = 0 }) => sum + cost_usd, 0)
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex w-full flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-left hover:bg-sunken"
      >
        <span className="w-24">
          <StatusBadge status={review.state} />
        </span>
        <span className="min-w-0 flex-1 truncate font-medium max-sm:order-last max-sm:basis-full">
          {review.kind === 'import' ? 'Import' : 'Review'} by{' '}
          {review.reviewers.map(({ agent }) => agent).join(', ') || 'nobody'}
        </span>
        <span className="text-muted">{plural(found, 'finding')}</span>
        {cost > 0 && <span className="text-muted">{formatCost(cost)}</span>}
        <time dateTime={review.created_at} className="w-20 text-right text-xs text-muted">
          {formatAgo(review.created_at, serverNow())}
        </time>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-4 border-t bg-bg px-4 py-3">
          <p className="text-xs text-muted">
            {review.scope && `${visible(review.scope)}, `}at {shortSha(review.commit)}
            {found > 0 && (
              <>
                {' · '}
                <Link
                  to="/r/$repositoryId/issues"
                  params={{ repositoryId: review.repository_id }}
                  search={{ task_id: review.id, status: 'all' }}
                  className="text-accent underline"
                >
                  the issues it raised first
                </Link>
              </>
            )}
          </p>
          {review.error !== null && <p className="text-bad wrap-anywhere">{visible(review.error)}</p>}
          <ul className="flex flex-col gap-1">
            {review.reviewers.map(({ agent, state, reason, findings }) => (
              <li key={agent} className="flex flex-wrap items-baseline gap-x-3">
                <span className="font-medium wrap-anywhere">{visible(agent)}</span>
                <StatusBadge status={state} />
                <span className="text-muted">{plural(findings, 'finding')}</span>
                {reason !== null && reason !== review.error && (
                  <span className={`wrap-anywhere ${state === 'failed' ? 'text-bad' : 'text-muted'}`}>
                    {visible(reason.slice(0, 400))}
                  </span>
                )}
              </li>
            ))}
          </ul>
          {review.coverage && review.coverage.length > 0 && <CoverageTree files={review.coverage} />}
        </div>
      )}
    </li>
  )
}
