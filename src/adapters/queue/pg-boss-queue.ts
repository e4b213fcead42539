import { PgBoss, type ConstructorOptions } from 'pg-boss'
import { z } from 'zod'
import type { QueueKind, QueueEntry, QueueTaker, QueueTerms, Queue, WorkRequest } from '../../loop/ports.ts'
import { handOver, keyOfEntry, kindOfEntry } from './queue-entry.ts'
import { Fault } from '../../model/fault.ts'
import { AttemptId, RepositoryId, ReviewId, SessionId } from '../../model/id.ts'

export interface PgBossQueueOptions {
  readonly url: string
  /** Called when something goes wrong in the background, and when a handler throws; the job counts as done all the same. */
  readonly onError: (error: unknown) => void
}

const kinds: readonly QueueKind[] = ['sessions', 'attempts', 'reviews']
const schema = 'fixpoint_queue'

const refusals = z.number().int().nonnegative()
const JobData = z.union([
  z.object({
    sessionId: SessionId,
    repositoryId: RepositoryId,
    attemptId: AttemptId.exactOptional(),
    refusals,
  }),
  z.object({ reviewId: ReviewId, repositoryId: RepositoryId, refusals }),
])

const optionsOf = (url: string): ConstructorOptions => ({
  connectionString: url,
  application_name: 'fixpoint queue',
  schema,
  schedule: false,
  migrate: false,
  max: 4,
  connectionTimeoutMillis: 10_000,
})

/**
 * One job at most waits for each session, attempt or review, however many are sent. A job that was taken is over: its row
 * says who works on it, and whoever looks again after that process is gone sends another job.
 */
const queueOptions = {
  policy: 'short',
  notify: true,
  retryLimit: 0,
  expireInSeconds: 23 * 60 * 60,
  heartbeatSeconds: 30,
  deleteAfterSeconds: 60 * 60,
}

/** Makes the tables of the queue, or brings them up to this version. */
export async function preparePgBoss(url: string): Promise<void> {
  const boss = new PgBoss({ ...optionsOf(url), migrate: true, supervise: false, max: 1 })
  boss.on('error', () => undefined)
  try {
    await boss.start()
    for (const kind of kinds) await boss.createQueue(kind, queueOptions)
  } finally {
    await boss.stop({ graceful: false })
  }
}

/** Whether the tables of the queue are as this version wants them. */
export async function isPgBossPrepared(url: string): Promise<boolean> {
  const boss = new PgBoss({ ...optionsOf(url), supervise: false, max: 1 })
  boss.on('error', () => undefined)
  try {
    await boss.start()
    return await hasQueues(boss)
  } catch (error) {
    if (isConnectionError(error)) throw error
    return false
  } finally {
    await boss.stop({ graceful: false })
  }
}

async function hasQueues(boss: PgBoss): Promise<boolean> {
  for (const kind of kinds) if (!(await boss.getQueue(kind))) return false
  return true
}

/** Codes of the system and of PostgreSQL's classes for a connection that was not made, not let in now, or did not last. */
const connectionCode = /^(?:E[A-Z_]+|(?:08|53|57)[0-9A-Z]{3})$/
/** The driver's own words for the same; it gives these errors no code. */
const lostConnection = /connection terminated|timeout exceeded when trying to connect|client has encountered/i

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return 'code' in error && typeof error.code === 'string'
    ? connectionCode.test(error.code)
    : lostConnection.test(error.message)
}

/** Whoever drives a session goes on with it by itself after this fault, and after no other error. */
const unreachable = (cause: unknown): Fault =>
  new Fault('store_unreachable', 'the queue cannot be reached', { cause })

/** The queue that all processes of one PostgreSQL database share. */
export async function openPgBossQueue({ url, onError }: PgBossQueueOptions): Promise<Queue> {
  const boss = new PgBoss({ ...optionsOf(url), useListenNotify: true })
  boss.on('error', onError)
  try {
    await boss.start()
    if (!(await hasQueues(boss))) throw new Fault('store_failed', 'the database has no queue yet')
  } catch (cause) {
    await boss.stop({ graceful: false })
    if (isConnectionError(cause)) throw unreachable(cause)
    throw new Fault('store_failed', 'the tables of the queue are not those of this version', {
      cause,
      hint: 'Run fixpoint db migrate once.',
    })
  }
  return {
    send: (job, terms) => send(boss, job, terms),
    work: (request) => work(boss, request, onError),
    depth: async (kind) => {
      const rows = await ask(boss, countWaiting, kind)
      return z.array(z.object({ count: z.coerce.number() })).parse(rows)[0]?.count ?? 0
    },
    async waiting(kind) {
      const rows = await ask(boss, listWaiting, kind)
      return new Set(
        z
          .array(z.object({ key: z.string() }))
          .parse(rows)
          .map(({ key }) => key),
      )
    },
    close: () => boss.stop({ graceful: false }),
  }
}

async function send(
  boss: PgBoss,
  job: QueueEntry,
  { turn = 0, delayMs = 0 }: QueueTerms = {},
): Promise<void> {
  const options = {
    singletonKey: keyOfEntry(job),
    priority: -Math.round(turn),
    // Seconds count by the clock of the database; a time of this machine's would be another one there.
    ...(delayMs > 0 && { startAfter: delayMs / 1_000 }),
  }
  try {
    await boss.send(kindOfEntry(job), { ...job }, options)
  } catch (error) {
    throw isConnectionError(error) ? unreachable(error) : error
  }
}

/** pg-boss itself counts only now and then. */
const countWaiting = `select count(*) as count from ${schema}.job where name = $1 and state < 'active'`
const listWaiting = `select singleton_key as key from ${schema}.job where name = $1 and state < 'active' and singleton_key is not null`

async function ask(boss: PgBoss, query: string, kind: QueueKind): Promise<readonly unknown[]> {
  try {
    const { rows }: { readonly rows: readonly unknown[] } = await boss.getDb().executeSql(query, [kind])
    return rows
  } catch (error) {
    throw isConnectionError(error) ? unreachable(error) : error
  }
}

/** A job is told of at once (`NOTIFY`). Asking finds those that were kept back, and those told of while nobody could hear. */
const asking = { batchSize: 1, pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 2 }

/** One taker asks for all places of its process, so that what a worker costs the database does not grow with its places. */
async function work(
  boss: PgBoss,
  request: WorkRequest,
  onError: (error: unknown) => void,
): Promise<QueueTaker> {
  const { kind, atOnce } = request
  const running = new Set<Promise<void>>()
  const stopped = Promise.withResolvers<'stopped'>()
  let isStopped = false
  const id: string = await boss.work<unknown>(kind, asking, async (jobs) => {
    for (const { data } of jobs) {
      // It was on its way when this process stopped taking.
      if (isStopped) return send(boss, readJob(data))
      const done: Promise<void> = handleData(data, request)
        .catch(onError)
        .finally(() => running.delete(done))
      running.add(done)
    }
    while (running.size >= atOnce && !isStopped) await Promise.race([...running, stopped.promise])
    // Otherwise it would wait for the next job to be told of, although others may be waiting already.
    boss.notifyWorker(id)
  })
  return {
    async stop() {
      isStopped = true
      stopped.resolve('stopped')
      await boss.offWork(kind, { id, wait: false })
      await Promise.all(running)
    },
  }
}

const handleData = async (data: unknown, request: WorkRequest): Promise<void> =>
  handOver(request, readJob(data))

const readJob = (data: unknown): QueueEntry => JobData.parse(data)
