import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { insightsQuery } from '../api/queries.ts'
import { PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { BehindDialog } from './behind-dialog.tsx'
import { OpenIssues, PerDay, Resolved, Shares, Totals, type OpenBar } from './figures.tsx'
import { RangeFields, rangeOf, type DayRange } from './range-fields.tsx'
import { Tallies } from './tallies.tsx'

export function InsightsPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/insights' })
  const { behind, ...range } = useSearch({ from: '/r/$repositoryId/insights' })
  const navigate = useNavigate({ from: '/r/$repositoryId/insights' })
  const days = { since: range.from ?? (range.days && `${range.days}d`), until: range.to }
  const query = useQuery(insightsQuery(repositoryId, days))
  const asked = useQuery({
    ...insightsQuery(repositoryId, { ...days, behind }),
    enabled: behind !== undefined,
  })
  const open: OpenBar = (bar, value) =>
    void navigate({ search: (now) => ({ ...now, behind: `${bar}:${value}` }) })
  const choose = (chosen: DayRange) => void navigate({ search: chosen, replace: true })
  const close = () =>
    void navigate({ search: ({ from, to, days: last }) => rangeOf({ from, to, days: last }) })
  return (
    <>
      <PageHead title="Insights" note="What the sessions of this repository came to">
        <RangeFields range={range} onChange={choose} />
      </PageHead>
      <PageBody>
        <Shown query={query}>
          {(insights) => (
            <>
              {insights.attempts > 0 && <Totals insights={insights} />}
              {insights.open_by_day.length > 0 && <OpenIssues insights={insights} />}
              {insights.attempts === 0 ? (
                <Empty title="Nothing to count yet">Once a session has ended, its figures are here.</Empty>
              ) : (
                <>
                  <Resolved insights={insights} />
                  <div className="grid gap-4 lg:grid-cols-2">
                    <PerDay insights={insights} open={open} />
                    <Shares insights={insights} open={open} />
                  </div>
                  <Tallies insights={insights} repositoryId={repositoryId} />
                </>
              )}
            </>
          )}
        </Shown>
        {behind !== undefined && asked.data?.behind && (
          <BehindDialog repositoryId={repositoryId} asked={behind} rows={asked.data.behind} onClose={close} />
        )}
      </PageBody>
    </>
  )
}
