import type { Store, StoreFigures } from '../../../adapters/store/index.ts'
import type { SessionDigest, SessionDigests } from '../../serving/session-digests.ts'
import type { FixEvent } from '../../../model/session/event.ts'
import type { EventStreams } from '../../events/stream-events.ts'
import type { Queue } from '../../../loop/ports.ts'
import { isOver } from '../../../model/session/session.ts'

type Labels = Readonly<Record<string, string>>

export interface Metrics {
  readonly countRequest: (method: string, status: number) => void
  readonly countEvent: (event: FixEvent) => void
  /** In the text format of Prometheus. */
  format(): Promise<string>
}

export interface MetricParts {
  readonly digests: SessionDigests
  readonly streams: () => Pick<EventStreams, 'openCount' | 'cutCount'>
  readonly runningCount: () => number
  readonly queue: Pick<Queue, 'depth'>
  readonly store: Pick<Store, 'workers' | 'figures'>
  /** Null when nobody has measured them. */
  readonly artifactBytes: () => number | null
}

const sessionsCounted = 1_000

const helps = {
  fixpoint_http_requests_total: 'Answered HTTP requests.',
  fixpoint_events_total: 'Events of sessions that this process drives.',
  fixpoint_attempts_total: 'Attempts that this process has settled.',
  fixpoint_verifications_total: 'Verifications that this process has seen the result of.',
  fixpoint_cost_usd_total: 'What the agents of this process have cost.',
} as const

type Counter = keyof typeof helps

/** Counters of this process, and what the store knows at the moment of asking. */
export function createMetrics(parts: MetricParts): Metrics {
  const { digests, streams, runningCount } = parts
  const counters = new Map<Counter, Map<string, number>>()
  const add = (name: Counter, labels: Labels, amount = 1): void => {
    const series = counters.get(name) ?? new Map<string, number>()
    const key = labelText(labels)
    counters.set(name, series.set(key, (series.get(key) ?? 0) + amount))
  }
  return {
    countRequest: (method, status) => add('fixpoint_http_requests_total', { method, status: String(status) }),
    countEvent: (event) => {
      const { details } = event
      add('fixpoint_events_total', { type: event.type })
      if (event.type === 'fix_issue_completed')
        add('fixpoint_attempts_total', { outcome: labelOf(details['outcome']) })
      if (event.type === 'fix_verification_result')
        add('fixpoint_verifications_total', { status: event.message.split(':')[0] ?? '' })
      if (typeof details['cost_usd'] === 'number') add('fixpoint_cost_usd_total', {}, details['cost_usd'])
    },
    async format() {
      const sessions = await digests.list({ limit: sessionsCounted })
      const statuses = Map.groupBy(sessions, ({ row }) => row.status)
      return [
        ...Object.entries(helps).flatMap(([name, help]) => [
          ...head(name, 'counter', help),
          ...[...(counters.get(name as Counter) ?? [])].map(([labels, value]) => `${name}${labels} ${value}`),
        ]),
        ...head('fixpoint_sessions', 'gauge', 'Sessions by status.'),
        ...[...statuses].map(([status, some]) => `fixpoint_sessions${labelText({ status })} ${some.length}`),
        ...head('fixpoint_sessions_running', 'gauge', 'Sessions that this process drives.'),
        `fixpoint_sessions_running ${runningCount()}`,
        ...head('fixpoint_sse_clients', 'gauge', 'Open event streams.'),
        `fixpoint_sse_clients ${streams().openCount()}`,
        ...head('fixpoint_sse_cut_total', 'counter', 'Clients that were too slow.'),
        `fixpoint_sse_cut_total ${streams().cutCount()}`,
        ...(await unfinishedLines(sessions, parts)),
        ...(await workerLines(parts)),
        ...artifactLines(parts),
        '',
      ].join('\n')
    },
  }
}

/** What is under way, in all processes that share the database. */
async function unfinishedLines(
  sessions: readonly SessionDigest[],
  { store }: MetricParts,
): Promise<readonly string[]> {
  const open = sessions.filter(({ row }) => !isOver(row))
  const stages = Map.groupBy(
    open.flatMap((session) => session.stages),
    (stage) => stage,
  )
  const figures = await store.figures?.()
  return [
    ...head('fixpoint_unfinished_attempts', 'gauge', 'Attempts of unfinished sessions by stage.'),
    ...[...stages].map(
      ([stage, some]) => `fixpoint_unfinished_attempts${labelText({ stage })} ${some.length}`,
    ),
    ...head('fixpoint_unfinished_cost_usd', 'gauge', 'What unfinished sessions have cost so far.'),
    `fixpoint_unfinished_cost_usd ${open.reduce((sum, { row }) => sum + row.cost_usd, 0)}`,
    ...head('fixpoint_takeovers', 'gauge', 'Takeovers of unfinished work since it last got further.'),
    `fixpoint_takeovers{of="sessions"} ${open.reduce((sum, { takeovers }) => sum + takeovers, 0)}`,
    ...(figures ? sharedLines(figures) : []),
  ]
}

const sharedLines = ({ oldestLeaseMs, deaths, pool }: StoreFigures): readonly string[] => [
  `fixpoint_takeovers{of="attempts"} ${deaths}`,
  ...head(
    'fixpoint_lease_age_seconds',
    'gauge',
    'How long ago the oldest lease of running work was renewed.',
  ),
  `fixpoint_lease_age_seconds ${(oldestLeaseMs / 1_000).toFixed(1)}`,
  ...head('fixpoint_database_connections', 'gauge', 'Connections of this process to the database.'),
  `fixpoint_database_connections{state="idle"} ${pool.idle}`,
  `fixpoint_database_connections{state="used"} ${pool.total - pool.idle}`,
  ...head('fixpoint_database_waiting', 'gauge', 'Queries of this process that wait for a connection.'),
  `fixpoint_database_waiting ${pool.waiting}`,
]

/** The queue and who takes from it, of all processes that share the database. */
async function workerLines({ queue, store: { workers } }: MetricParts): Promise<readonly string[]> {
  const seen = await workers.list()
  const silent = Math.max(0, ...seen.map(({ silentMs }) => silentMs))
  const places = seen.reduce((sum, { worker }) => sum + worker.concurrency, 0)
  const driven = seen.reduce((sum, { worker }) => sum + worker.sessions.length, 0)
  const states = Map.groupBy(seen, ({ worker: { draining } }) => (draining ? 'draining' : 'working'))
  return [
    ...head('fixpoint_queue_depth', 'gauge', 'Sessions that wait for a worker.'),
    `fixpoint_queue_depth ${await queue.depth('sessions')}`,
    ...head('fixpoint_attempt_queue_depth', 'gauge', 'Attempts that wait for a worker.'),
    `fixpoint_attempt_queue_depth ${await queue.depth('attempts')}`,
    ...head('fixpoint_review_queue_depth', 'gauge', 'Reviews that wait for a worker.'),
    `fixpoint_review_queue_depth ${await queue.depth('reviews')}`,
    ...head('fixpoint_workers', 'gauge', 'Workers that are on the list.'),
    ...(['working', 'draining'] as const).map(
      (state) => `fixpoint_workers${labelText({ state })} ${states.get(state)?.length ?? 0}`,
    ),
    ...head('fixpoint_worker_places', 'gauge', 'Sessions that all workers can drive at once.'),
    `fixpoint_worker_places ${places}`,
    ...head('fixpoint_worker_sessions', 'gauge', 'Sessions that all workers drive.'),
    `fixpoint_worker_sessions ${driven}`,
    ...head('fixpoint_worker_silence_seconds', 'gauge', 'How long ago the most silent worker was heard of.'),
    `fixpoint_worker_silence_seconds ${(silent / 1_000).toFixed(1)}`,
  ]
}

/** A figure that nobody measured is left out: 0 would be read as one. */
function artifactLines({ artifactBytes }: MetricParts): readonly string[] {
  const bytes = artifactBytes()
  const about = head(
    'fixpoint_artifact_bytes',
    'gauge',
    'What all artifacts took when they were last measured.',
  )
  return bytes === null ? [] : [...about, `fixpoint_artifact_bytes ${bytes}`]
}

const labelOf = (value: unknown): string => (typeof value === 'string' ? value : 'unknown')

const labelText = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const head = (name: string, type: string, help: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]
