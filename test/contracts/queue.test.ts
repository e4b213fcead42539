import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createInProcessQueue } from '../../src/adapters/queue/in-process-queue.ts'
import { isPgBossPrepared, openPgBossQueue, preparePgBoss } from '../../src/adapters/queue/pg-boss-queue.ts'
import type { Queue, ReviewEntry, SessionEntry } from '../../src/loop/ports.ts'
import { RepositoryId, ReviewId, SessionId } from '../../src/model/id.ts'
import { startPostgres, type PostgresServer } from '../fixtures/postgres.ts'
import { startTcpProxy } from '../fixtures/tcp-proxy.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server?.stop()
})

const errors: unknown[] = []
const onError = (error: unknown): void => void errors.push(error)

interface TestQueue {
  readonly queue: Queue
  /** The same queue as another process sees it. */
  readonly other: Queue
}

const queues: Readonly<Record<string, () => Promise<TestQueue>>> = {
  'the queue of one process': async () => {
    const queue = createInProcessQueue({ onError })
    return { queue, other: queue }
  },
  'the queue of a PostgreSQL database': async () => {
    const url = await server.createDatabase()
    await preparePgBoss(url)
    return {
      queue: await openPgBossQueue({ url, onError }),
      other: await openPgBossQueue({ url, onError }),
    }
  },
}

const jobOf = (name: string, refusals = 0): SessionEntry => ({
  sessionId: SessionId.parse(`ses_${name}`),
  repositoryId: RepositoryId.parse('rep_one'),
  refusals,
})

/** Handlers that wait until they are released, and the jobs that they were given. */
function createHands() {
  const given: string[] = []
  const open = new Map<string, () => void>()
  return {
    given,
    handle: (job: SessionEntry): Promise<void> => {
      given.push(job.sessionId)
      return new Promise((resolve) => open.set(job.sessionId, resolve))
    },
    letGo: (name: string): void => open.get(`ses_${name}`)?.(),
    letAllGo: (): void => open.forEach((resolve) => resolve()),
  }
}

const soon = { timeout: 200_000, interval: 20 }

describe.each(Object.entries(queues))('%s', (_name, open) => {
  let made: TestQueue
  let hands: ReturnType<typeof createHands>
  const start = async (): Promise<Queue> => {
    made = await open()
    hands = createHands()
    errors.length = 0
    return made.queue
  }
  afterEach(async () => {
    hands.letAllGo()
    await made.queue.close()
    await made.other.close()
  })

  it('gives reviews to those who take reviews, and keeps one job at most for each', async () => {
    const queue = await start()
    const job = {
      reviewId: ReviewId.parse('rev_a'),
      repositoryId: RepositoryId.parse('rep_one'),
      refusals: 0,
    }
    await queue.send(job)
    await queue.send({ ...job, refusals: 3 })
    expect([await queue.depth('reviews'), await queue.depth('sessions')]).toEqual([1, 0])
    const sessions: SessionEntry[] = []
    const reviews: ReviewEntry[] = []
    const takers = [
      await queue.work({ kind: 'sessions', atOnce: 1, handle: async (one) => void sessions.push(one) }),
      await made.other.work({ kind: 'reviews', atOnce: 1, handle: async (one) => void reviews.push(one) }),
    ]
    await queue.send(jobOf('a'))
    await expect.poll(() => [sessions, reviews], soon).toEqual([[jobOf('a')], [job]])
    await Promise.all(takers.map((taker) => taker.stop()))
  })

  it('gives a job to one worker only, and keeps one at most for each session', async () => {
    const queue = await start()
    await queue.send(jobOf('a', 2))
    await queue.send(jobOf('a'))
    expect(await queue.depth('sessions')).toBe(1)
    expect([await queue.waiting('sessions'), await queue.waiting('attempts')]).toEqual([
      new Set(['ses_a']),
      new Set(),
    ])
    const jobs: SessionEntry[] = []
    const handle = async (job: SessionEntry): Promise<void> => void jobs.push(job)
    const takers = [
      await queue.work({ kind: 'sessions', atOnce: 1, handle }),
      await made.other.work({ kind: 'sessions', atOnce: 1, handle }),
    ]
    await expect.poll(() => jobs, soon).toEqual([jobOf('a', 2)])
    await queue.send(jobOf('b'))
    await expect.poll(() => jobs, soon).toHaveLength(2)
    await Promise.all(takers.map((taker) => taker.stop()))
    expect(jobs.map(({ sessionId }) => sessionId)).toEqual(['ses_a', 'ses_b'])
    expect(await queue.depth('sessions')).toBe(0)
  })

  it('takes a job for a session that somebody works on, so that it is looked at again', async () => {
    const queue = await start()
    const taker = await queue.work({ kind: 'sessions', atOnce: 2, handle: hands.handle })
    await queue.send(jobOf('a'))
    await expect.poll(() => hands.given, soon).toEqual(['ses_a'])
    await queue.send(jobOf('a'))
    await expect.poll(() => hands.given, soon).toEqual(['ses_a', 'ses_a'])
    hands.letAllGo()
    await made.queue.close()
    void taker
  })

  it('gives lower turns out first, and the older of two equal ones', async () => {
    const queue = await start()
    await queue.send(jobOf('late'), { turn: 3 })
    await queue.send(jobOf('first'))
    await queue.send(jobOf('second'))
    await queue.send(jobOf('third'), { turn: 1 })
    const given: string[] = []
    const taker = await queue.work({
      kind: 'sessions',
      atOnce: 1,
      handle: async ({ sessionId }) => void given.push(sessionId),
    })
    await expect.poll(() => given, soon).toEqual(['ses_first', 'ses_second', 'ses_third', 'ses_late'])
    await taker.stop()
  })

  it('handles no more at once than it may, and gives the next out as soon as one is done', async () => {
    const queue = await start()
    const taker = await queue.work({ kind: 'sessions', atOnce: 2, handle: hands.handle })
    for (const name of ['a', 'b', 'c']) await queue.send(jobOf(name))
    await expect.poll(() => hands.given, soon).toHaveLength(2)
    expect(await queue.depth('sessions')).toBe(1)
    hands.letGo(hands.given[0]?.slice('ses_'.length) ?? '')
    await expect.poll(() => hands.given, soon).toHaveLength(3)
    hands.letAllGo()
    await taker.stop()
  })

  it('gives jobs that take no time out one after the other, without a pause', async () => {
    const queue = await start()
    const names = Array.from({ length: 20 }, (_, index) => `short${index}`)
    for (const name of names) await queue.send(jobOf(name))
    const given: string[] = []
    const startedAt = Date.now()
    const taker = await queue.work({
      kind: 'sessions',
      atOnce: 1,
      handle: async ({ sessionId }) => void given.push(sessionId),
    })
    await expect.poll(() => given, soon).toEqual(names.map((name) => `ses_${name}`))
    // With a pause of a second after each it would be 19.
    expect(Date.now() - startedAt).toBeLessThan(10_000)
    await taker.stop()
  })

  it('keeps a job back for as long as it is told', async () => {
    const queue = await start()
    const given: string[] = []
    const taker = await queue.work({
      kind: 'sessions',
      atOnce: 1,
      handle: async ({ sessionId }) => void given.push(sessionId),
    })
    const sentAt = Date.now()
    await queue.send(jobOf('later'), { delayMs: 3_000 })
    await queue.send(jobOf('now'))
    await expect.poll(() => given, soon).toEqual(['ses_now', 'ses_later'])
    expect(Date.now() - sentAt).toBeGreaterThan(2_900)
    await taker.stop()
  })

  it('takes nothing after it is stopped, and waits for what is being handled', async () => {
    const queue = await start()
    const taker = await queue.work({ kind: 'sessions', atOnce: 1, handle: hands.handle })
    await queue.send(jobOf('a'))
    await expect.poll(() => hands.given, soon).toEqual(['ses_a'])
    let isStopped = false
    const stopped = taker.stop().then(() => (isStopped = true))
    await queue.send(jobOf('b'))
    expect(isStopped).toBe(false)
    hands.letGo('a')
    await stopped
    expect([hands.given, await queue.depth('sessions')]).toEqual([['ses_a'], 1])
  })

  it('goes on after a handler that throws, and tells why', async () => {
    const queue = await start()
    const given: string[] = []
    const taker = await queue.work({
      kind: 'sessions',
      atOnce: 1,
      handle: async ({ sessionId }) => {
        given.push(sessionId)
        if (sessionId === 'ses_bad') throw new Error('bad job')
      },
    })
    await queue.send(jobOf('bad'))
    await queue.send(jobOf('good'), { turn: 1 })
    await expect.poll(() => given, soon).toEqual(['ses_bad', 'ses_good'])
    await taker.stop()
    expect(errors.map(String)).toEqual(['Error: bad job'])
  })
})

it('asks the database for work no more often with many places than with one', async () => {
  const url = await server.createDatabase()
  await preparePgBoss(url)
  const queue = await openPgBossQueue({ url, onError })
  const client = new Client({ connectionString: url })
  await client.connect()
  const count = async (): Promise<number> => {
    const { rows } = await client.query<{ count: string }>(
      'select xact_commit as count from pg_stat_database where datname = current_database()',
    )
    return Number(rows[0]?.count)
  }
  try {
    const taker = await queue.work({ kind: 'sessions', atOnce: 200, handle: async () => undefined })
    const before = await count()
    await setTimeout(4_000)
    // Each place alone would have asked at least once.
    expect((await count()) - before).toBeLessThan(100)
    await taker.stop()
  } finally {
    await client.end()
    await queue.close()
  }
})

it('says how to make the tables of the queue, where they are missing', async () => {
  const url = await server.createDatabase()
  expect(await isPgBossPrepared(url)).toBe(false)
  await expect(openPgBossQueue({ url, onError })).rejects.toMatchObject({
    code: 'store_failed',
    hint: 'Run fixpoint db migrate once.',
  })
  await preparePgBoss(url)
  await preparePgBoss(url)
  expect(await isPgBossPrepared(url)).toBe(true)
})

it('says that the database cannot be reached when the connection ends while a job is sent', async () => {
  const link = await startTcpProxy(server.port)
  const url = (await server.createDatabase()).replace(`:${server.port}/`, `:${link.port}/`)
  await preparePgBoss(url)
  const queue = await openPgBossQueue({ url, onError })
  try {
    link.stall()
    const sent = queue.send(jobOf('a')).catch((error: unknown) => error)
    link.cut()
    // A session whose driver is told this is gone on with by itself; one that ends for any other reason waits for a person.
    expect(await sent).toMatchObject({ code: 'store_unreachable' })
    expect(await queue.send(jobOf('b')).catch((error: unknown) => error)).toMatchObject({
      code: 'store_unreachable',
    })
    link.mend()
    await queue.send(jobOf('c'))
  } finally {
    link.mend()
    await queue.close()
    link.close()
  }
})
