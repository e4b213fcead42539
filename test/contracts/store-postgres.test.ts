import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from 'pg'
import { migratePostgres, openPostgresStore } from '../../src/adapters/store/postgres/open-postgres-store.ts'
import { postgresDialect } from '../../src/adapters/store/postgres/postgres-dialect.ts'
import { watchChanges } from '../../src/adapters/store/postgres/watch-changes.ts'
import { startTcpProxy } from '../fixtures/tcp-proxy.ts'
import { startPostgres, type PostgresServer } from '../fixtures/postgres.ts'
import {
  planByFingerprint,
  repositoryId,
  sampleFinding,
  sampleReview,
  sampleSession,
  triageOnce,
} from '../fixtures/store/samples.ts'
import { createInProcessQueue } from '../../src/adapters/queue/in-process-queue.ts'
import { createRunningSessions } from '../../src/app/worker/running-sessions.ts'
import { createSessionRunner } from '../../src/server/serving/session-runner.ts'
import { ReviewId, TreeId } from '../../src/model/id.ts'
import type { TestDatabase } from './store-scene.ts'
import { describeQueryPlans } from './query-plans.ts'
import { describeStore } from './store-suite.ts'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server?.stop()
})

const makeDatabase = async (): Promise<TestDatabase> => {
  const url = await server.createDatabase()
  await migratePostgres(url)
  return {
    address: url,
    open: (now) => openPostgresStore({ url, now }),
    integrity: async () => {
      const store = await openPostgresStore({ url, now: Date.now })
      const problems = await store.integrity()
      await store.close()
      return problems
    },
    remove: async () => undefined,
  }
}

describe('the PostgreSQL store', () => {
  describeStore(makeDatabase)
})

describe('a PostgreSQL database with many rows', () => {
  let url: string
  beforeAll(async () => {
    url = (await makeDatabase()).address
  })

  describeQueryPlans(async () => {
    const { Pool } = await import('pg')
    // PostgreSQL reads an empty table as a whole, unless such a read counts as the last resort.
    const pool = new Pool({ connectionString: url, max: 1, options: '-c enable_seqscan=off' })
    return {
      dialect: postgresDialect({ pool, address: 'test', onWrite: () => undefined }),
      explain: 'explain',
      readsAll: (line) => line.includes('Seq Scan on'),
    }
  })
})

describe('a PostgreSQL database that several processes use', () => {
  const ownerOf = (process: string): string => `home:${process}:run`

  it('tells which owners are alive, on whatever machine, by its own clock', async () => {
    const { address: url } = await makeDatabase()
    const [one, other] = [
      await openPostgresStore({ url, now: Date.now }),
      await openPostgresStore({ url, now: Date.now }),
    ]
    await one.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
    const session = { ...sampleSession('ses_held', []), owner: ownerOf('1:2:elsewhere:3') }
    await one.sessions.create({ session, attempts: [], events: [] })
    await expect.poll(() => other.isOwnerAlive?.(session.owner), { timeout: 200_000 }).toBe(true)
    expect(other.isOwnerAlive?.(ownerOf('9:9:elsewhere:9'))).toBe(false)
    const reviewing = {
      owner: ownerOf('4:5:elsewhere:6'),
      tree: TreeId.parse('a'.repeat(40)),
      is_committed: true,
    }
    await one.issues.triage({ review: sampleReview('rev_held', { running: reviewing }), count: 0, parts: [] })
    await expect.poll(() => other.isOwnerAlive?.(reviewing.owner), { timeout: 30_000 }).toBe(true)
    await one.close()
    await expect.poll(() => other.isOwnerAlive?.(session.owner), { timeout: 200_000 }).toBe(false)
    await ask(
      url,
      `insert into process_lease values ('killed', ${Date.now() - 13_000}), ('busy', ${Date.now()})`,
    )
    await expect.poll(() => other.isOwnerAlive?.(ownerOf('busy')), { timeout: 200_000 }).toBe(true)
    expect(other.isOwnerAlive?.(ownerOf('killed'))).toBe(false)
    await other.close()
  })

  it('lets a person stop what another process began this very moment', async () => {
    const { address: url } = await makeDatabase()
    const [worker, server] = [
      await openPostgresStore({ url, now: Date.now }),
      await openPostgresStore({ url, now: Date.now }),
    ]
    await worker.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
    const session = { ...sampleSession('ses_new', []), owner: ownerOf('1:2:elsewhere:3') }
    const onError = (error: unknown): never => {
      throw error
    }
    const runner = createSessionRunner({
      store: server,
      queue: createInProcessQueue({ onError }),
      running: createRunningSessions(onError),
      openFor: () => Promise.reject(new Error('nothing is opened to stop a session')),
      findSession: async (id) => (await server.sessions.load(id)) ?? onError(new Error(`${id} is not known`)),
      publish: () => undefined,
    })
    await worker.sessions.create({ session, attempts: [], events: [] })
    await runner.stop(session.id)
    expect(await worker.sessions.takeNotes(session.id)).toEqual([{ kind: 'stop' }])
    await Promise.all([worker.close(), server.close()])
  })

  it('names issues that cannot be read, however often it is asked', async () => {
    const { address: url } = await makeDatabase()
    const store = await openPostgresStore({ url, now: Date.now })
    await store.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
    const review = sampleReview('rev_many')
    const findings = [0, 1, 2].map((number) => sampleFinding(review, number))
    await triageOnce(store, {
      review,
      findings,
      plan: planByFingerprint(findings, (index) => `iss_${index}`),
    })
    expect(await store.integrity()).toEqual([])
    await ask(url, "update issue set data = '{broken' where id = 'iss_1'")
    await ask(url, "update issue set lead = '{broken' where id = 'iss_2'")
    const broken = ['iss_1', 'iss_2'].map((id) =>
      expect.stringMatching(`^issue: the row ${id} .* is no JSON$`),
    )
    expect(await store.integrity()).toEqual(broken)
    expect(await store.integrity()).toEqual(broken)
    await store.close()
  })

  it('tells how old the oldest lease of those is who own something that runs, and how its connections are used', async () => {
    const { address: url } = await makeDatabase()
    const [driver, server] = [
      await openPostgresStore({ url, now: Date.now }),
      await openPostgresStore({ url, now: Date.now, connections: 3 }),
    ]
    expect(await server.figures?.()).toMatchObject({ oldestLeaseMs: 0, deaths: 0 })
    await driver.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
    const session = { ...sampleSession('ses_silent', []), owner: ownerOf('silent') }
    await driver.sessions.create({ session, attempts: [], events: [] })
    await driver.close()
    const ago = (minutes: number): number => Date.now() - minutes * 60_000
    await ask(url, `insert into process_lease values ('silent', ${ago(10)}), ('idle', ${ago(60)})`)
    const figures = await server.figures?.()
    expect(figures?.oldestLeaseMs).toBeGreaterThan(9 * 60_000)
    expect(figures?.oldestLeaseMs).toBeLessThan(50 * 60_000)
    expect(figures?.pool.total).toBeLessThanOrEqual(3)
    expect(figures?.pool).toMatchObject({ waiting: 0 })
    await server.close()
  })

  it('refuses what an owner writes that was taken for dead and comes back', async () => {
    const { address: url } = await makeDatabase()
    const [late, next] = [
      await openPostgresStore({ url, now: Date.now }),
      await openPostgresStore({ url, now: Date.now }),
    ]
    await late.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
    const session = { ...sampleSession('ses_late', []), owner: ownerOf('late') }
    await late.sessions.create({ session, attempts: [], events: [] })
    await next.sessions.take(session.id, { expectedOwner: session.owner, owner: ownerOf('next') })
    await expect(late.sessions.record({ sessionId: session.id, session, events: [] })).rejects.toMatchObject({
      code: 'busy',
    })
    await Promise.all([late.close(), next.close()])
  })

  it('tells everybody who watches of every write, with its session', async () => {
    const { address: url } = await makeDatabase()
    const [writer, watcher] = [
      await openPostgresStore({ url, now: Date.now }),
      await openPostgresStore({ url, now: Date.now }),
    ]
    const heard: string[] = []
    const stop = watcher.watch?.((sessionId) => heard.push(sessionId))
    // The first call says that the watcher listens from now on.
    await expect.poll(() => heard).toEqual([''])
    const version = watcher.version()
    expect(watcher.version()).toBe(version)
    await writer.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
    const session = sampleSession('ses_heard', [])
    await writer.sessions.create({ session, attempts: [], events: [] })
    await writer.sessions.requestCancel(session.id)
    await expect.poll(() => heard).toEqual(['', '', '', session.id])
    expect(watcher.version()).not.toBe(version)
    stop?.()
    await Promise.all([writer.close(), watcher.close()])
  })

  it('passes what agents say on to the other processes, in order, whatever others send', async () => {
    const { address: url } = await makeDatabase()
    const [one, other] = [await openPostgresStore({ url }), await openPostgresStore({ url })]
    const heard: string[] = []
    const own: string[] = []
    other.words?.hear(({ text }) => heard.push(text))
    one.words?.hear(({ text }) => own.push(text))
    const say = (...texts: readonly string[]) =>
      one.words?.say(texts.map((text) => ({ about: ReviewId.parse('rev_1'), agent: 'a', text })))
    await expect
      .poll(
        async () => {
          await say('hello')
          return heard
        },
        { timeout: 30_000 },
      )
      .toContain('hello')
    await ask(url, `select pg_notify('fixpoint_words', '{"words":')`)
    const long = '\u0001'.repeat(2_500)
    await say('', 'first', long, 'second', ...Array.from({ length: 300 }, (_, number) => `${number}`))
    await expect.poll(() => heard.at(-1), { timeout: 30_000 }).toBe('299')
    const later = heard.slice(heard.indexOf('first'))
    expect(later.slice(0, 5).map((text) => text.length)).toEqual([5, 1_000, 1_000, 500, 6])
    expect(later).toHaveLength(305)
    expect(own).toEqual([])
    await Promise.all([one.close(), other.close()])
  })

  it('goes on after the server crashed, and says meanwhile that it cannot be reached', async () => {
    const own = await startPostgres()
    const url = await own.createDatabase()
    await migratePostgres(url)
    const store = await openPostgresStore({ url, now: Date.now })
    const heard: string[] = []
    store.watch?.((sessionId) => heard.push(sessionId))
    await store.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    const restarted = own.crashAndRestart()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => store.repositories.list().catch((error: unknown) => error)),
    )
    for (const answer of answers)
      if (!Array.isArray(answer)) expect(answer).toMatchObject({ code: 'store_unreachable' })
    await restarted
    await expect.poll(() => store.repositories.list().catch(() => []), { timeout: 200_000 }).toHaveLength(1)
    const before = heard.length
    await expect.poll(() => heard.length, { timeout: 200_000 }).toBeGreaterThan(before - 1)
    await store.close()
    await own.stop()
  })

  it('is reached again when a router has forgotten every connection to it', async () => {
    const { address } = await makeDatabase()
    const link = await startTcpProxy(server.port)
    const url = address.replace(`:${server.port}/`, `:${link.port}/`)
    const store = await openPostgresStore({ url, now: Date.now, statementMs: 1_000 })
    const heard: string[] = []
    const changes = watchChanges({ connectionString: url }, 200)
    changes.watch((sessionId) => heard.push(sessionId))
    await expect.poll(() => heard).toEqual([''])
    await store.repositories.list()
    link.forget()
    await expect(store.repositories.list()).rejects.toMatchObject({ code: 'store_unreachable' })
    await store.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
    await expect.poll(() => heard.length, { timeout: 200_000 }).toBeGreaterThan(1)
    await Promise.all([changes.close(), store.close()])
    link.close()
  })

  it('is made once by all who make its tables at the same time', async () => {
    const url = await server.createDatabase()
    const applied = await Promise.all(Array.from({ length: 6 }, () => migratePostgres(url)))
    expect(applied.flat()).toEqual(['0001-tables'])
    await (await openPostgresStore({ url, now: Date.now })).close()
  })

  it('finds pages, counts and what happened to an issue by an index', async () => {
    const { address: url } = await makeDatabase()
    await ask(
      url,
      `insert into repository values ('${repositoryId}', 'one', '/one', '');
       insert into issue (id, repository_id, task_id, code, fingerprint, file, status, severity, rank, search, data, tools, created_at)
         select 'iss_' || n, 'rep_' || (n % 50), null, 'BE-' || n, md5(n::text), 'f' || n, 'open', 'major', -n, '', '{}', '', ''
         from generate_series(1, 20000) n;
       insert into session select 'ses_' || n, '${repositoryId}', null, 0, '{}', 'completed' from generate_series(1, 200) n;
       insert into event select 'ses_' || (n % 200 + 1), n, 'iss_' || (n % 20000 + 1), '{}' from generate_series(1, 20000) n;
       analyze`,
    )
    const plans = {
      page: `select rank, id from issue where repository_id = 'rep_7' and status = 'open' and severity = 'major' and (rank, id) > (-5000, '') order by rank, id limit 51`,
      counts: `select status, severity, count(*) from issue where repository_id = 'rep_7' group by status, severity`,
      file: `select id from issue where repository_id = 'rep_7' and file in ('f7', 'f57')`,
      fingerprint: `select id from issue where fingerprint in ('a', 'b')`,
      ledger: `select data from event where issue_id = 'iss_77' order by session_id, seq`,
      events: `select data from event where session_id = 'ses_7' and seq > 100 order by seq limit 500`,
    }
    for (const [name, sql] of Object.entries(plans)) {
      const plan = (await ask(url, `explain ${sql}`)).join('\n')
      expect({ name, plan }).toEqual({ name, plan: expect.stringMatching(/index/i) })
      expect({ name, plan }).not.toEqual({ name, plan: expect.stringContaining('Seq Scan') })
    }
  })
})

async function ask(url: string, sql: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = (await client.query(sql)) as { rows?: Record<string, string>[] }
  await client.end()
  return (rows ?? []).map((row) => Object.values(row).join(' '))
}
