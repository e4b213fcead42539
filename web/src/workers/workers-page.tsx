import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WorkerView } from '../../../src/model/api/workers.ts'
import { workersQuery } from '../api/queries.ts'
import { serverNow } from '../api/server-time.ts'
import { useBadge } from '../live/use-badge.ts'
import { useListening } from '../live/use-pulse.ts'
import { Brand } from '../shell/brand.tsx'
import { Person } from '../shell/person.tsx'
import { Badge } from '../ui/badge.tsx'
import { columnsOf, DataTable } from '../ui/data-table.tsx'
import { formatAgo, formatDate, formatDuration, plural } from '../ui/format.ts'
import { Card, Fact, PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'

/** A worker that is silent for this long counts as dead, and others take over its sessions. */
const deadAfterMs = 10_000
const isSilent = ({ silent_ms }: WorkerView): boolean => silent_ms >= deadAfterMs
const stateOf = (worker: WorkerView): string => {
  if (isSilent(worker)) return 'Silent'
  if (worker.draining) return 'Finishing'
  return worker.sessions.length > 0 || besidesOf(worker) !== '' ? 'Working' : 'Free'
}
/** What it works on besides the sessions that it drives. */
const besidesOf = ({ attempts = [], reviews = [] }: WorkerView): string =>
  [
    ...(attempts.length > 0 ? [plural(attempts.length, 'attempt')] : []),
    ...(reviews.length > 0 ? [plural(reviews.length, 'review')] : []),
  ].join(', ')
/** The sessions of workers that are heard from; another worker may already drive those of a silent one. */
const drivenBy = (workers: readonly WorkerView[]): ReadonlySet<string> =>
  new Set(workers.filter((worker) => !isSilent(worker)).flatMap(({ sessions }) => sessions))
const placesOf = (worker: WorkerView): string => {
  const { length: count } = worker.sessions
  return isSilent(worker) && count > 0 ? `drove ${count}` : `${count} of ${worker.concurrency}`
}
const tones = { Silent: 'bad', Finishing: 'warn', Working: 'accent', Free: 'ok' } as const

const columns = columnsOf<WorkerView>([
  {
    id: 'state',
    head: 'State',
    value: stateOf,
    cell: (worker) => {
      const state = stateOf(worker) as keyof typeof tones
      return <Badge tone={tones[state]}>{state}</Badge>
    },
  },
  {
    id: 'host',
    head: 'Machine',
    value: ({ host, pid }) => `${host} ${pid}`,
    cell: ({ host, pid }) => (
      <span className="wrap-anywhere">
        {host} <span className="text-xs text-muted">process {pid}</span>
      </span>
    ),
  },
  {
    id: 'sessions',
    head: 'Drives',
    value: ({ sessions }) => sessions.length,
    cell: (worker) => (
      <span className="flex flex-col">
        <span>{placesOf(worker)}</span>
        {worker.sessions.map((id) => (
          <Link
            key={id}
            to="/sessions/$sessionId"
            params={{ sessionId: id }}
            className="font-mono text-xs text-accent underline"
          >
            {id.slice(-8)}
          </Link>
        ))}
        {besidesOf(worker) !== '' && <span className="text-xs text-muted">{besidesOf(worker)}</span>}
      </span>
    ),
  },
  {
    id: 'heard',
    head: 'Heard of',
    isNumber: true,
    value: ({ silent_ms }) => silent_ms,
    cell: (worker) => (
      <span className={`whitespace-nowrap ${isSilent(worker) ? 'text-bad' : ''}`}>
        {formatDuration(worker.silent_ms)} ago
      </span>
    ),
  },
  { id: 'version', head: 'Version', isWide: true, value: ({ version }) => version },
  {
    id: 'started',
    head: 'Started',
    isWide: true,
    value: ({ started_at }) => started_at,
    cell: ({ started_at }) => (
      <time dateTime={started_at} title={formatDate(started_at)} className="whitespace-nowrap text-muted">
        {formatAgo(started_at, serverNow())}
      </time>
    ),
  },
])

/** The workers that drive sessions, and the number of sessions that wait for one. */
export function WorkersPage() {
  useListening()
  useBadge()
  const query = useQuery({ ...workersQuery, refetchInterval: 5_000 })
  return (
    <main className="flex h-full flex-col">
      <PageHead
        title="Workers"
        before={<Brand className="border-r pr-4" />}
        note={query.data && plural(query.data.workers.length, 'worker')}
      >
        <Link to="/overview" className="text-accent hover:underline">
          All repositories
        </Link>
        <Person className="max-w-48" />
      </PageHead>
      <PageBody>
        <Shown query={query}>
          {({ workers, waiting, shared }) => (
            <>
              <Card>
                <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3">
                  <Fact name="Sessions that wait">{waiting}</Fact>
                  <Fact name="Sessions at work">{drivenBy(workers).size}</Fact>
                  <Fact name="Places">
                    {workers
                      .filter((worker) => !isSilent(worker) && !worker.draining)
                      .reduce((sum, { concurrency }) => sum + concurrency, 0)}
                  </Fact>
                </dl>
              </Card>
              {workers.length === 0 ? (
                <Empty title="No worker is on the list">
                  {shared
                    ? 'Start one where it can reach the database: fixpoint worker.'
                    : 'This server drives every session itself. With a PostgreSQL database, workers on other machines share them.'}
                </Empty>
              ) : (
                <Card padded={false}>
                  <DataTable label="Workers" columns={columns} rows={workers} />
                </Card>
              )}
            </>
          )}
        </Shown>
      </PageBody>
    </main>
  )
}
