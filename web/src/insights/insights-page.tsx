import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Insights } from '../../../src/model/api/system.ts'
import { insightsQuery } from '../api/queries.ts'
import { formatCost, formatDuration, formatNumber, formatTokens, formatWord } from '../ui/format.ts'
import { columnsOf, costColumn, DataTable } from '../ui/data-table.tsx'
import { Card, PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { BarList } from './bar-list.tsx'
import { BehindDialog } from './behind-dialog.tsx'
import { DayChart, type ChartPart } from './day-chart.tsx'
import { LineChart } from './line-chart.tsx'

export function InsightsPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/insights' })
  const { days, from, to, behind } = useSearch({ from: '/r/$repositoryId/insights' })
  const navigate = useNavigate({ from: '/r/$repositoryId/insights' })
  const since = from ?? (days && `${days}d`)
  const query = useQuery(insightsQuery(repositoryId, { since, until: to }))
  const asked = useQuery({
    ...insightsQuery(repositoryId, { since, until: to, behind }),
    enabled: behind !== undefined,
  })
  const open: OpenBar = (bar, value) =>
    void navigate({ search: (now) => ({ ...now, behind: `${bar}:${value}` }) })
  const close = () => void navigate({ search: (now) => rangeOf(now.from, now.to, now.days) })
  return (
    <>
      <PageHead title="Insights" note="What the sessions of this repository came to">
        <DayField label="From" value={from} onChange={(day) => void navigate({ search: rangeOf(day, to) })} />
        <DayField label="To" value={to} onChange={(day) => void navigate({ search: rangeOf(from, day) })} />
        <select
          aria-label="Time"
          className="rounded-md border bg-surface px-2 py-1.5 text-xs"
          value={days ?? ''}
          onChange={({ target }) =>
            void navigate({ search: target.value === '' ? {} : { days: target.value }, replace: true })
          }
        >
          <option value="">All time</option>
          {['7', '30', '90', '365'].map((count) => (
            <option key={count} value={count}>
              Last {count} days
            </option>
          ))}
        </select>
      </PageHead>
      <PageBody>
        <Shown query={query}>
          {(insights) =>
            insights.attempts === 0 ? (
              <Empty title="Nothing to count yet">Once a session has ended, its figures are here.</Empty>
            ) : (
              <Figures insights={insights} repositoryId={repositoryId} open={open} />
            )
          }
        </Shown>
        {behind !== undefined && asked.data?.behind && (
          <BehindDialog repositoryId={repositoryId} asked={behind} rows={asked.data.behind} onClose={close} />
        )}
      </PageBody>
    </>
  )
}

const grades: Readonly<Record<string, string>> = {
  E0: 'E0 judged only',
  E1: 'E1 checks green',
  E2: 'E2 tool silent',
  E3: 'E3 proven by test',
  E4: 'E4 proven independently',
}

const origins: Readonly<Record<string, string>> = {
  regression: 'Back after it was merged',
  fix_induced: 'Made by a fix',
  latent: 'There before',
}

/** Shows the attempts that a bar of a figure counts. */
type OpenBar = (bar: string, value: string) => void

const rangeOf = (from: string | undefined, to: string | undefined, days?: string) => ({
  ...(from && { from }),
  ...(to && { to }),
  ...(days && { days }),
})

interface DayFieldProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (day: string) => void
}

const DayField = ({ label, value, onChange }: DayFieldProps) => (
  <label className="flex items-center gap-1.5 text-xs text-muted">
    {label}
    <input
      type="date"
      className="rounded-md border bg-surface px-2 py-1 text-xs text-fg"
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
)

interface Given {
  readonly insights: Insights
}

interface Opening extends Given {
  readonly open: OpenBar
}

function Figures({ insights, repositoryId, open }: Opening & { readonly repositoryId: string }) {
  return (
    <>
      <Totals insights={insights} />
      <Card title="Resolved over time" note="running total">
        <LineChart
          label="Resolved over time"
          points={runningSum(insights.by_day.map(({ day, fixed }) => ({ name: day, value: fixed })))}
          kind="count"
          format={formatNumber}
        />
      </Card>
      <div className="grid gap-4 lg:grid-cols-2">
        <PerDay insights={insights} open={open} />
        <Shares insights={insights} open={open} />
      </div>
      <Card title="Per agent and model" padded={false}>
        <DataTable label="Per agent and model" columns={tallyColumns} rows={insights.by_model} />
      </Card>
      <Card title="Paid to each agent" note="fixers, challengers and those that write tests" padded={false}>
        <DataTable label="Per agent" columns={tallyColumns} rows={insights.by_agent} />
      </Card>
      <Card title="Per rule" note="a rule leads to its issues" padded={false}>
        <DataTable
          label="Per rule"
          columns={ruleColumns}
          rows={insights.by_rule.map((tally) => ({ ...tally, repositoryId }))}
        />
      </Card>
    </>
  )
}

function Totals({ insights }: Given) {
  const cost = insights.cost_per_fix_usd
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-7">
      <Tile name="Sessions" value={formatNumber(insights.sessions)} />
      <Tile name="Attempts" value={formatNumber(insights.attempts)} />
      <Tile name="Fixed" value={formatNumber(insights.fixed)} />
      <Tile name="Cost" value={formatCost(insights.cost_usd)} />
      <Tile name="Cost per fix" value={cost === null ? '–' : formatCost(cost)} />
      <Tile
        name="Time to fix"
        value={insights.time_to_fix_ms === null ? '–' : formatDuration(insights.time_to_fix_ms)}
      />
      <Tile name="Tokens" value={formatTokens(insights.tokens)} />
    </dl>
  )
}

const endings: readonly ChartPart[] = [
  { key: 'fixed', label: 'fixed', fill: 'fill-ok-fill', dot: 'bg-ok-fill' },
  { key: 'failed', label: 'failed', fill: 'fill-bad-fill', dot: 'bg-bad-fill' },
  { key: 'skipped', label: 'skipped', fill: 'fill-muted', dot: 'bg-muted' },
]

const proofs: readonly ChartPart[] = [
  { key: 'E4', label: 'E4', fill: 'fill-ok-fill', dot: 'bg-ok-fill' },
  { key: 'E3', label: 'E3', fill: 'fill-accent', dot: 'bg-accent' },
  { key: 'E2', label: 'E2', fill: 'fill-info', dot: 'bg-info' },
  { key: 'E1', label: 'E1', fill: 'fill-warn-fill', dot: 'bg-warn-fill' },
  { key: 'E0', label: 'E0', fill: 'fill-muted', dot: 'bg-muted' },
]

const PerDay = ({ insights: { by_day: days, evidence_by_day: proven }, open }: Opening) => (
  <>
    <Card title="Attempts per day" note="a day leads to its attempts">
      <DayChart
        days={days.map(({ day, fixed, failed, skipped }) => ({ day, counts: { fixed, failed, skipped } }))}
        parts={endings}
        onOpen={(day) => open('by_day', day)}
      />
    </Card>
    <Card title="Evidence over time" note="fixes of each day by their grade">
      <DayChart days={proven} parts={proofs} onOpen={(day) => open('by_day', day)} />
    </Card>
    <Card title="Cost per fix and day">
      <LineChart
        label="Cost per fix and day"
        points={days.flatMap(({ day, fixed, cost_usd }) =>
          fixed === 0 ? [] : [{ name: day, value: cost_usd / fixed }],
        )}
        kind="amount"
        format={formatCost}
      />
    </Card>
  </>
)

const Shares = ({ insights, open }: Opening) => (
  <>
    <Card title="Evidence of the fixes">
      <BarList
        counts={insights.evidence}
        name={(grade) => grades[grade] ?? grade}
        onOpen={(value) => open('evidence', value)}
      />
    </Card>
    <Card title="Rounds per fix">
      <BarList
        counts={insights.rounds_per_fix}
        name={(rounds) => (rounds === '1' ? '1 round' : `${rounds} rounds`)}
        onOpen={(value) => open('rounds_per_fix', value)}
      />
    </Card>
    <Card title="What refused" note="rounds that did not pass">
      <BarList counts={insights.refusals} name={formatWord} onOpen={(value) => open('refusals', value)} />
    </Card>
    <Card title="Outcomes">
      <BarList counts={insights.outcomes} name={formatWord} onOpen={(value) => open('outcomes', value)} />
    </Card>
    <Card title="Where issues come from" note="those that sessions worked on">
      <BarList
        counts={insights.origin}
        name={(origin) => origins[origin] ?? origin}
        onOpen={(value) => open('origin', value)}
      />
    </Card>
  </>
)

type Tally = Insights['by_agent'][number]
const rate = ({ fixed, attempts }: Tally): number => (attempts === 0 ? 0 : fixed / attempts)

const plainColumns = columnsOf<Tally>([
  {
    id: 'name',
    head: 'Name',
    value: ({ name }) => name,
    cell: ({ name }) => <span className="wrap-anywhere">{name}</span>,
  },
  { id: 'attempts', head: 'Attempts', isNumber: true, value: ({ attempts }) => attempts },
  { id: 'fixed', head: 'Fixed', isNumber: true, value: ({ fixed }) => fixed },
  {
    id: 'rate',
    head: 'Rate',
    isNumber: true,
    value: rate,
    cell: (tally) => `${Math.round(rate(tally) * 100)} %`,
  },
  costColumn,
])

/** What an agent was paid for each of its fixes. */
const costPerFix = ({ cost_usd, fixed }: Tally): number => (fixed === 0 ? 0 : cost_usd / fixed)

const perFixColumn = {
  id: 'per-fix',
  head: 'Cost per fix',
  isNumber: true,
  isWide: true,
  value: costPerFix,
  cell: (tally: Tally) => (tally.fixed === 0 ? '–' : formatCost(costPerFix(tally))),
} as const

const tallyColumns = columnsOf<Tally>([...plainColumns, perFixColumn])

const ruleColumns = columnsOf<Tally & { readonly repositoryId: string }>([
  {
    id: 'name',
    head: 'Rule',
    value: ({ name }) => name,
    cell: ({ name, repositoryId }) => (
      <Link
        to="/r/$repositoryId/issues"
        params={{ repositoryId }}
        search={{ status: 'all', rule: name === 'no rule' ? '' : name }}
        className="wrap-anywhere hover:text-accent hover:underline"
      >
        {name}
      </Link>
    ),
  },
  ...plainColumns.slice(1),
  perFixColumn,
])

const runningSum = (points: readonly { readonly name: string; readonly value: number }[]) => {
  let sum = 0
  return points.map(({ name, value }) => ({ name, value: (sum += value) }))
}

const Tile = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div className="rounded-lg border bg-surface px-4 py-3">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="text-lg font-semibold">{value}</dd>
  </div>
)
