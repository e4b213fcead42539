import { Link } from '@tanstack/react-router'
import type { Insights } from '../../../src/model/api/system.ts'
import { columnsOf, costColumn, DataTable } from '../ui/data-table.tsx'
import { formatCost } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'

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

/** The cost of an agent for each of its fixes. */
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

interface Props {
  readonly insights: Insights
  readonly repositoryId: string
}

/** Attempts, fixes and money, by agent and by kind of problem. */
export const Tallies = ({ insights, repositoryId }: Props) => (
  <>
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
