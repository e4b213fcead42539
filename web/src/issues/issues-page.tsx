import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { facetsQuery, issuesQuery } from '../api/queries.ts'
import { formatNumber, plural } from '../ui/format.ts'
import { Button } from '../ui/button.tsx'
import { PageHead } from '../ui/layout.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { filterOf, isNarrowed } from './filter.ts'
import { FilterBar } from './filter-bar.tsx'
import { ImportButton } from './import-button.tsx'
import { IssueGrid } from './issue-grid.tsx'
import { ReviewButton } from './review-button.tsx'

const nothing: ReadonlySet<string> = new Set()

export function IssuesPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/issues' })
  const search = useSearch({ from: '/r/$repositoryId/issues' })
  const query = useInfiniteQuery(issuesQuery(repositoryId, filterOf(search)))
  const total = useQuery(facetsQuery(repositoryId, {})).data?.total
  const issues = useMemo(() => query.data?.pages.flatMap((page) => page.issues) ?? [], [query.data])
  const [selected, setSelected] = useState(nothing)
  const chosen = useMemo(() => issues.filter(({ id }) => selected.has(id)), [issues, selected])
  return (
    <>
      <PageHead
        title="Issues"
        note={total === undefined ? '…' : `${plural(total, 'issue')} in all, most urgent first`}
      >
        <div className="flex flex-wrap gap-2">
          <ImportButton repositoryId={repositoryId} />
          <ReviewButton repositoryId={repositoryId} />
        </div>
      </PageHead>
      <FilterBar repositoryId={repositoryId} search={search} isListed={!query.isPending} />
      {query.isPending && <Loading rows={12} />}
      {query.isError && issues.length === 0 && (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isSuccess && issues.length === 0 && (
        <NoIssues isNarrowed={isNarrowed(search)} total={total ?? 0} />
      )}
      {issues.length > 0 && (
        <IssueGrid
          issues={issues}
          selected={selected}
          onSelect={setSelected}
          hasMore={query.hasNextPage}
          isLoadingMore={query.isFetchingNextPage}
          onLoadMore={() => void query.fetchNextPage({ cancelRefetch: false })}
        />
      )}
      {query.isFetchNextPageError && (
        <p role="alert" className="flex items-center justify-center gap-3 border-t bg-surface p-2 text-bad">
          After {formatNumber(issues.length)} the rest could not be loaded.
          <Button onClick={() => void query.fetchNextPage()}>Try again</Button>
        </p>
      )}
      {chosen.length > 0 && (
        <BulkBar repositoryId={repositoryId} issues={chosen} onDone={() => setSelected(nothing)} />
      )}
    </>
  )
}

function NoIssues({
  isNarrowed: hasFilter,
  total,
}: {
  readonly isNarrowed: boolean
  readonly total: number
}) {
  if (hasFilter)
    return <Empty title="No issue matches these filters">Clear a filter, or search for less.</Empty>
  if (total > 0) return <Empty title="Nothing to do">All {formatNumber(total)} issues are settled.</Empty>
  return (
    <Empty title="No issues yet">
      Import a report of any scanner (SARIF, ESLint, JUnit, …), or let the reviewers look at the code.
    </Empty>
  )
}
