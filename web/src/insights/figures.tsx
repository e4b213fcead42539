import type { Insights } from '../../../src/model/api/system.ts'
import { formatCost, formatDuration, formatNumber, formatTokens, formatWord } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'
import { BarList } from './bar-list.tsx'
import { DayChart, type ChartPart } from './day-chart.tsx'
import { LineChart } from './line-chart.tsx'

/** Shows the attempts that a bar of a figure counts. */
export type OpenBar = (bar: string, value: string) => void

interface Given {
  readonly insights: Insights
}

interface Opening extends Given {
  readonly open: OpenBar
}

export function Totals({ insights }: Given) {
  const cost = insights.cost_per_fix_usd
  return (
    <dl className="flex flex-wrap gap-3">
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

const Tile = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div className="flex-1 basis-24 rounded-lg border bg-surface px-3 py-3 max-sm:basis-36">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="text-lg font-semibold">{value}</dd>
  </div>
)

/** How many issues were open, day by day. */
export const OpenIssues = ({ insights: { open_by_day: days } }: Given) => (
  <Card title="Open issues over time" note={countsOf(days)}>
    <LineChart
      label="Open issues over time"
      points={days.map(({ day, open }) => ({ name: day, value: open }))}
      kind="count"
      format={formatNumber}
    />
  </Card>
)

function countsOf(days: Insights['open_by_day']): string {
  const sum = (name: 'found' | 'closed'): string =>
    formatNumber(days.reduce((total, day) => total + day[name], 0))
  return `${sum('found')} found or opened again, ${sum('closed')} closed`
}

export const Resolved = ({ insights }: Given) => (
  <Card title="Resolved over time" note="running total">
    <LineChart
      label="Resolved over time"
      points={runningSum(insights.by_day.map(({ day, fixed }) => ({ name: day, value: fixed })))}
      kind="count"
      format={formatNumber}
    />
  </Card>
)

const runningSum = (points: readonly { readonly name: string; readonly value: number }[]) => {
  let sum = 0
  return points.map(({ name, value }) => ({ name, value: (sum += value) }))
}

const endings: readonly ChartPart[] = [
  { key: 'fixed', label: 'fixed', fill: 'fill-ok-fill', dot: 'bg-ok-fill' },
  { key: 'failed', label: 'did not land', fill: 'fill-bad-fill', dot: 'bg-bad-fill' },
  { key: 'skipped', label: 'set aside', fill: 'fill-muted', dot: 'bg-muted' },
]

const proofs: readonly ChartPart[] = [
  { key: 'E4', label: 'E4', fill: 'fill-ok-fill', dot: 'bg-ok-fill' },
  { key: 'E3', label: 'E3', fill: 'fill-accent', dot: 'bg-accent' },
  { key: 'E2', label: 'E2', fill: 'fill-info', dot: 'bg-info' },
  { key: 'E1', label: 'E1', fill: 'fill-warn-fill', dot: 'bg-warn-fill' },
  { key: 'E0', label: 'E0', fill: 'fill-muted', dot: 'bg-muted' },
]

export const PerDay = ({ insights: { by_day: days, evidence_by_day: proven }, open }: Opening) => (
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

export const Shares = ({ insights, open }: Opening) => (
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
