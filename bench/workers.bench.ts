import { setTimeout } from 'node:timers/promises'
import { openPgBossQueue } from '../src/adapters/queue/pg-boss-queue.ts'
import { RepositoryId, SessionId } from '../src/model/id.ts'
import type { Figure } from './figure.ts'
import { withPostgres } from './postgres-database.ts'
import { buildIfStale } from './run-node.ts'
import { quantile } from './statistics.ts'
import { startFleet } from './workers/fleet.ts'

export const title =
  'Workers on one PostgreSQL: 1, 2 and 4 of them, how soon a job is taken, 50 sessions at once'

const measures: Readonly<Record<string, (url: string) => Promise<readonly Figure[]>>> = {
  latency: measureLatency,
  throughput: measureThroughput,
  crowd: measureCrowd,
}

export const parts = Object.keys(measures)

export async function run(part?: string): Promise<readonly Figure[]> {
  await buildIfStale()
  const figures: Figure[] = []
  for (const [name, measure] of Object.entries(measures))
    if (part === undefined || part === name) figures.push(...(await withPostgres(measure)))
  return figures
}

const JOBS = 200

/** From the moment one process sends a job until another one is given it. */
async function measureLatency(url: string): Promise<readonly Figure[]> {
  const onError = (error: unknown): never => {
    throw error
  }
  const [sender, taker] = [await openPgBossQueue({ url, onError }), await openPgBossQueue({ url, onError })]
  const taken = new Map<string, () => void>()
  await taker.work({ kind: 'sessions', atOnce: 4, handle: async ({ sessionId }) => taken.get(sessionId)?.() })
  const times: number[] = []
  for (let number = 0; number < JOBS; number += 1) {
    const sessionId = SessionId.parse(`ses_${number}`)
    const arrival = new Promise<void>((resolve) => taken.set(sessionId, resolve))
    const sentAt = performance.now()
    await sender.send({ sessionId, repositoryId: RepositoryId.parse('rep_1'), refusals: 0 })
    await arrival
    times.push(performance.now() - sentAt)
    // The next one meets a worker that waits, as most do, at any moment between two of its own looks.
    await setTimeout(20)
  }
  await Promise.all([sender.close(), taker.close()])
  return [
    { name: `95 of 100 jobs are taken within`, value: quantile(times, 0.95), limit: 50, unit: 'ms' },
    { name: 'half of the jobs are taken within', value: quantile(times, 0.5), limit: 50, unit: 'ms' },
  ]
}

const PLACES = 4
const FLEETS = [1, 2, 4]
const SLEEP_SECONDS = 5
const SPREAD_SECONDS = 3
const ISSUES = 96
/** While all places of the largest fleet fill up and empty again, nothing is counted. */
const RAMP = 4 * PLACES

/**
 * One session spreads over all workers; twice as many of them should do twice as much. Counted is the middle of a session:
 * its plan and its last train take as long with any number of workers, and matter the less the longer it is.
 */
async function measureThroughput(url: string): Promise<readonly Figure[]> {
  const [whole, middle]: [number[], number[]] = [[], []]
  for (const workers of FLEETS) {
    const fleet = await startFleet(url, {
      repositories: 1,
      issues: ISSUES,
      concurrency: 4 * PLACES,
      sleepSeconds: SLEEP_SECONDS,
      spreadSeconds: SPREAD_SECONDS,
      workers: Array.from({ length: workers }, () => ['--concurrency', String(PLACES)]),
    })
    try {
      const { tookMs, acceptedMs } = await fleet.fixAll(ISSUES)
      const [from = 0, to = 0] = [acceptedMs[RAMP], acceptedMs.at(-RAMP)]
      whole.push(tookMs / 1_000)
      middle.push((acceptedMs.length - 2 * RAMP) / ((to - from) / 60_000))
    } finally {
      await fleet.dispose()
    }
  }
  const list = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(', ')
  console.log(`  ${ISSUES} issues took ${list(whole)} s with ${FLEETS.join(', ')} workers`)
  console.log(`  in the middle of that, ${list(middle)} issues were done in a minute`)
  const [one = 0, two = 0, four = 0] = middle
  const figureOf = (name: string, slow: number, fast: number): Figure => ({
    name,
    value: 1.9 / (fast / slow),
    limit: 1,
    unit: `of 1.9 wanted (${(fast / slow).toFixed(2)} ×)`,
  })
  return [figureOf('twice the throughput with 2 workers', one, two), figureOf('and again with 4', two, four)]
}

const SESSIONS = 50
const EACH = 20
const REPOSITORIES = 10

/** Fifty sessions of twenty issues run at the same time on two workers; all of them have to end well. */
async function measureCrowd(url: string): Promise<readonly Figure[]> {
  const perRepository = (SESSIONS / REPOSITORIES) * EACH
  const fleet = await startFleet(url, {
    repositories: REPOSITORIES,
    issues: perRepository,
    concurrency: 4,
    sleepSeconds: 0.1,
    workers: Array.from({ length: 2 }, () => ['--concurrency', String(SESSIONS)]),
    env: { FIXPOINT_LIMITS_PER_REPOSITORY: String(SESSIONS), FIXPOINT_LIMITS_PER_WORKER: String(SESSIONS) },
  })
  try {
    const { tookMs, fixed, mostAtOnce } = await fleet.fixAll(EACH)
    return [
      { name: 'issues that were not fixed', value: SESSIONS * EACH - fixed, limit: 0, unit: 'issues' },
      { name: 'sessions that did not run with all others', value: SESSIONS - mostAtOnce, limit: 0, unit: '' },
      { name: 'each issue, of all processes together', value: tookMs / fixed, limit: 400, unit: 'ms' },
    ]
  } finally {
    await fleet.dispose()
  }
}
