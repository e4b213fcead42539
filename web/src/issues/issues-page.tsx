import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { PropertyCounts } from '../../../src/model/api/issues.ts'
import type { Issue } from '../../../src/model/issue/issue.ts'
import { countsQuery, issuesQuery, reviewsQuery } from '../api/queries.ts'
import { serverNow } from '../api/server-time.ts'
import { formatAgo, formatNumber, plural } from '../ui/format.ts'
import { Button } from '../ui/button.tsx'
import { PageHead } from '../ui/layout.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { FacetPanel } from '../filters/facet-panel.tsx'
import { chosenIn, filterOf, isNarrowed, type IssueSearch } from '../filters/filter.ts'
import { FilterBar } from '../filters/filter-bar.tsx'
import { GridHead } from './grid-head.tsx'
import { GroupList } from '../filters/group-list.tsx'
import { IssueGrid } from './issue-grid.tsx'
import { Preview } from './preview.tsx'
import { ImportReport } from '../reviews/import-report.tsx'
import { ReviewButton } from './review-button.tsx'

const nothing: ReadonlySet<string> = new Set()

export function IssuesPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/issues' })
  const search = useSearch({ from: '/r/$repositoryId/issues' })
  const query = useInfiniteQuery(issuesQuery(repositoryId, filterOf(search), search.sort))
  // Counting goes through every issue, so it waits until the first ones are shown.
  const { data: counted, isPlaceholderData: isCounting } = useQuery({
    ...countsQuery(repositoryId, filterOf(search), search.group),
    enabled: !query.isPending,
  })
  const counts = counted?.facets
  const total = counts?.status.reduce((sum, { count }) => sum + count, 0)
  const shown = counts && !isCounting ? shownOf(counts, search) : undefined
  return (
    <>
      <PageHead title="Issues" note={noteOf(shown, search)}>
        <div className="flex flex-wrap gap-2">
          <ImportReport repositoryId={repositoryId} />
          <ReviewButton repositoryId={repositoryId} />
        </div>
      </PageHead>
      <FilterBar search={search} counts={counts} />
      <div className="flex min-h-0 flex-1">
        <FacetPanel search={search} {...(counts && { counts })} />
        <div
          aria-busy={query.isPlaceholderData}
          className="flex min-w-0 flex-1 flex-col transition-opacity delay-150 aria-busy:opacity-50"
        >
          {search.group !== undefined && counted?.groups ? (
            <GroupList search={search} groups={counted.groups} />
          ) : (
            <IssueList
              repositoryId={repositoryId}
              query={query}
              shown={shown}
              matching={total}
              isNarrow={isNarrowed(search)}
            />
          )}
        </div>
      </div>
    </>
  )
}

/** The number of issues that the filters show. */
function shownOf(counts: PropertyCounts, search: IssueSearch): number {
  const chosen = new Set<string>(chosenIn(search).status)
  return counts.status
    .filter(({ value }) => chosen.size === 0 || chosen.has(value))
    .reduce((sum, { count }) => sum + count, 0)
}

/** The number of issues, in the same words everywhere. */
function noteOf(shown: number | undefined, { sort }: IssueSearch): string {
  if (shown === undefined) return '…'
  if (shown === 0) return 'No issue shown'
  return `${plural(shown, 'issue')} shown, ${sort === undefined ? 'most urgent first' : 'sorted'}`
}

interface ListProps {
  readonly repositoryId: string
  readonly query: ReturnType<typeof useIssues>
  /** How many issues the filters show; unknown while they are counted. */
  readonly shown: number | undefined
  /** How many issues match the filters, apart from the status; unknown while they are counted. */
  readonly matching: number | undefined
  readonly isNarrow: boolean
}

const useIssues = (repositoryId: string) => useInfiniteQuery(issuesQuery(repositoryId, {}))

/** At most this many issues are loaded to be selected at once. */
const mostSelected = 5_000

function IssueList({ repositoryId, query, shown, matching, isNarrow }: ListProps) {
  const issues = useMemo(() => query.data?.pages.flatMap((page) => page.issues) ?? [], [query.data])
  const [selected, setSelected] = useState(nothing)
  const [previewed, setPreviewed] = useState<Issue | null>(null)
  const chosen = useMemo(() => issues.filter(({ id }) => selected.has(id)), [issues, selected])
  const isAll = chosen.length > 0 && chosen.length === issues.length
  const selectMatching = async () => {
    let pages = query.data?.pages ?? []
    while (pages.at(-1)?.next_cursor && pages.flatMap((page) => page.issues).length < mostSelected)
      pages = (await query.fetchNextPage()).data?.pages ?? []
    const ids = pages.flatMap((page) => page.issues.map(({ id }) => id))
    setSelected(new Set(ids.slice(0, mostSelected)))
  }
  if (query.isPending) return <Loading rows={12} />
  if (query.isError && issues.length === 0)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />
  if (issues.length === 0)
    return <NoIssues repositoryId={repositoryId} isNarrowed={isNarrow} total={matching ?? 0} />
  return (
    <>
      <div className="flex min-h-0 flex-1">
        <div className="@container/list flex min-w-0 flex-1 flex-col">
          <GridHead
            isAllSelected={isAll}
            onSelectAll={() => setSelected(isAll ? nothing : new Set(issues.map(({ id }) => id)))}
          />
          <IssueGrid
            issues={issues}
            selected={selected}
            onSelect={setSelected}
            hasMore={query.hasNextPage}
            isLoadingMore={query.isFetchingNextPage}
            onLoadMore={() => void query.fetchNextPage({ cancelRefetch: false })}
            onPreview={(issue) => setPreviewed(issue?.id === previewed?.id ? null : issue)}
          />
        </div>
        {previewed && <Preview issue={previewed} onClose={() => setPreviewed(null)} />}
      </div>
      {query.isFetchNextPageError && (
        <p role="alert" className="flex items-center justify-center gap-3 border-t bg-surface p-2 text-bad">
          After {formatNumber(issues.length)} the rest could not be loaded.
          <Button onClick={() => void query.fetchNextPage()}>Try again</Button>
        </p>
      )}
      {chosen.length > 0 && (
        <BulkBar repositoryId={repositoryId} issues={chosen} onDone={() => setSelected(nothing)}>
          {isAll && query.hasNextPage && issues.length < mostSelected && (
            <Button look="quiet" disabled={query.isFetchingNextPage} onClick={() => void selectMatching()}>
              {wordForMatching(shown)}
            </Button>
          )}
        </BulkBar>
      )}
    </>
  )
}

/** What the button selects, in a word that holds for any number of issues. */
const wordForMatching = (shown = 0): string =>
  shown > mostSelected
    ? `Select the first ${formatNumber(mostSelected)}`
    : `Select all ${formatNumber(shown)} that match`

function NoIssues({
  repositoryId,
  isNarrowed: hasFilter,
  total,
}: {
  readonly repositoryId: string
  readonly isNarrowed: boolean
  readonly total: number
}) {
  if (hasFilter)
    return <Empty title="No issue matches these filters">Clear a filter, or search for less.</Empty>
  if (total > 0) return <Empty title="Nothing to do">All {formatNumber(total)} issues are settled.</Empty>
  return <NothingFound repositoryId={repositoryId} />
}

function NothingFound({ repositoryId }: { readonly repositoryId: string }) {
  const last = useQuery(reviewsQuery(repositoryId)).data?.reviews.find(({ state }) => state === 'complete')
  return (
    <Empty title={last ? 'Nothing was found' : 'No issues yet'}>
      {last && `The last review was ${formatAgo(last.created_at, serverNow())}. `}
      Drop the report of any scanner here (SARIF, ESLint, JUnit, …), or let the reviewers look at the code
      {last && ' again'}.
    </Empty>
  )
}
