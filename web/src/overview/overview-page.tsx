import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RepositoryStanding } from '../../../src/model/api/overview.ts'
import { overviewQuery, workersQuery } from '../api/queries.ts'
import { serverNow } from '../api/server-time.ts'
import { useBadge } from '../live/use-badge.ts'
import { useListening } from '../live/use-pulse.ts'
import { Brand } from '../shell/brand.tsx'
import { Person } from '../shell/person.tsx'
import { RepositoryLink } from '../shell/repository-link.tsx'
import { Badge } from '../ui/badge.tsx'
import { columnsOf, DataTable } from '../ui/data-table.tsx'
import { inputClass } from '../ui/field.tsx'
import { formatAgo, formatNumber, plural } from '../ui/format.ts'
import { Card, PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'

/** New issues per day as small bars; the text beside them gives the numbers. */
function Trend({ days }: { readonly days: readonly number[] }) {
  const most = Math.max(1, ...days)
  const sum = days.reduce((total, count) => total + count, 0)
  return (
    <span className="flex items-center gap-2">
      <svg aria-hidden viewBox={`0 0 ${days.length * 4} 16`} className="h-4 w-16 text-accent">
        {days.map((count, index) => (
          <rect
            key={index}
            x={index * 4}
            width={3}
            y={16 - Math.max(1, (count / most) * 16)}
            height={Math.max(1, (count / most) * 16)}
            fill="currentColor"
            opacity={count === 0 ? 0.25 : 1}
          />
        ))}
      </svg>
      <span className="text-xs whitespace-nowrap text-muted">{formatNumber(sum)} new</span>
    </span>
  )
}

const columns = columnsOf<RepositoryStanding>([
  {
    id: 'name',
    head: 'Repository',
    value: ({ name }) => name,
    cell: ({ id, name, path, available }) => (
      <span className="flex flex-col">
        <RepositoryLink id={id} name={name} />
        <span className="max-w-xs truncate font-mono text-[11px] text-muted max-xl:max-w-52 max-md:hidden">
          {path}
        </span>
        {!available && <Badge tone="bad">Folder is gone</Badge>}
      </span>
    ),
  },
  {
    id: 'waiting',
    head: 'Needs you',
    isNumber: true,
    value: ({ waiting }) => waiting,
    cell: ({ id, waiting }) =>
      waiting === 0 ? (
        '0'
      ) : (
        <Link
          to="/r/$repositoryId/needs-you"
          params={{ repositoryId: id }}
          className="font-semibold text-warn underline"
        >
          {waiting}
        </Link>
      ),
  },
  { id: 'running', head: 'Running', isNumber: true, value: ({ running }) => running },
  {
    id: 'open',
    head: 'To fix',
    isNumber: true,
    value: ({ open }) => open,
    cell: ({ open }) => formatNumber(open),
  },
  { id: 'failed', head: 'Failed', isNumber: true, isWide: true, value: ({ failed }) => failed },
  { id: 'fixed', head: 'Fixed', isNumber: true, isWide: true, value: ({ fixed }) => fixed },
  {
    id: 'trend',
    head: 'Last 14 days',
    isWide: true,
    value: ({ trend }) => trend.reduce((sum, count) => sum + count, 0),
    cell: ({ trend }) => <Trend days={trend} />,
  },
  {
    id: 'review',
    head: 'Last review',
    isWide: true,
    value: ({ last_review: review }) => review?.created_at ?? '',
    cell: ({ last_review: review }) => (
      <span className="whitespace-nowrap text-muted">
        {review ? formatAgo(review.created_at, serverNow()) : 'never'}
      </span>
    ),
  },
])

/** Every repository of this server; those that need somebody come first. */
/** The repositories whose name or path holds the text, those that need the person first. */
const find = (repositories: readonly RepositoryStanding[], text: string): readonly RepositoryStanding[] =>
  repositories
    .filter(({ name, path }) => `${name} ${path}`.toLowerCase().includes(text.trim().toLowerCase()))
    .toSorted((a, b) => b.waiting - a.waiting || b.running - a.running || b.open - a.open)

const countOf = (shown: number, all: number): string =>
  `${shown === all ? '' : `${formatNumber(shown)} of `}${plural(all, 'repository', 'repositories')}`

export function OverviewPage() {
  useListening()
  useBadge()
  const query = useQuery(overviewQuery)
  const workers = useQuery(workersQuery)
  const [text, setText] = useState('')
  const shown = find(query.data?.repositories ?? [], text)
  return (
    <main className="flex h-full flex-col">
      <PageHead
        title="All repositories"
        before={<Brand className="border-r pr-4" />}
        note={query.data && countOf(shown.length, query.data.repositories.length)}
      >
        {workers.data && (workers.data.shared || workers.data.workers.length > 1) && (
          <Link to="/workers" className="text-accent hover:underline">
            {plural(workers.data.workers.length, 'worker')}
          </Link>
        )}
        <input
          type="search"
          aria-label="Find a repository"
          placeholder="Find a repository…"
          className={`${inputClass} max-w-xs`}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Person className="max-w-48" />
      </PageHead>
      <PageBody>
        <Shown query={query}>
          {() =>
            shown.length === 0 ? (
              <Empty title={text === '' ? 'No repository yet' : 'No repository has this name'} />
            ) : (
              <Card padded={false}>
                <DataTable label="Repositories" columns={columns} rows={shown} />
              </Card>
            )
          }
        </Shown>
      </PageBody>
    </main>
  )
}
