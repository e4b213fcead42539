import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery } from 'kysely'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { openSqliteStore, type Store } from '../../src/adapters/store/index.ts'
import { SqliteConnection } from '../../src/adapters/store/sqlite/sqlite-connection.ts'
import { CopyingConnection } from '../../src/adapters/store/sqlite/copying-connection.ts'
import { ThreadConnection, threadEntry } from '../../src/adapters/store/sqlite/thread-connection.ts'
import { RepositoryId } from '../../src/model/id.ts'
import {
  planByFingerprint,
  repositoryId,
  sampleFinding,
  sampleReview,
  sampleSession,
  triageOnce,
} from '../fixtures/store/samples.ts'

const scratch = mkdtempSync(join(tmpdir(), 'fixpoint-sqlite-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Whether this machine can make a disk of a few megabytes, in a mount namespace of its own. */
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', scratch]).status === 0

let files = 0
const newFile = (): string => join(scratch, String((files += 1)), 'fixpoint.db')

const open = (file: string, busyTimeoutMs = 300): Promise<Store> =>
  openSqliteStore({ file, now: Date.now, busyTimeoutMs })

async function withRepository(file: string, busyTimeoutMs?: number): Promise<Store> {
  const store = await open(file, busyTimeoutMs)
  await store.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
  return store
}

async function importMany(store: Store, id: string, count: number): Promise<void> {
  const review = sampleReview(`rev_${id}`)
  const findings = Array.from({ length: count }, (_, number) => sampleFinding(review, number))
  const plan = planByFingerprint(findings, (index) => `iss_${id}${index}`)
  await triageOnce(store, { review, findings, plan })
}

const storeUrl = (path: string): string => new URL(`../../src/adapters/store/${path}`, import.meta.url).href

const runProgram = (program: string) =>
  spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })

describe('opening a SQLite store', () => {
  it('makes the folder and the file, and finds everything again later', async () => {
    const file = newFile()
    const store = await withRepository(file)
    await store.close()
    const again = await open(file)
    expect(await again.repositories.list()).toMatchObject([{ id: repositoryId }])
    expect(await again.integrity()).toEqual([])
    await again.close()
  })

  it('refuses a database of a newer Fixpoint and changes nothing in it', async () => {
    const file = newFile()
    await (await open(file)).close()
    const newer = new DatabaseSync(file)
    newer.exec("insert into kysely_migration values ('9999-future', '2100-01-01')")
    newer.close()
    await expect(open(file)).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('9999-future'),
      hint: expect.stringContaining('Upgrade'),
    })
  })

  it.each(['migration', 'kysely_migration'])(
    'refuses a database from before the first release with a table %s, says what to do, and changes nothing in it',
    async (table) => {
      const file = newFile()
      mkdirSync(join(file, '..'), { recursive: true })
      const older = new DatabaseSync(file)
      older.exec(`create table ${table} (name text primary key, applied_at integer not null)`)
      older.exec(`insert into ${table} values ('0001-initial', 0); create table repository (id text)`)
      older.close()
      await expect(open(file)).rejects.toMatchObject({
        code: 'store_failed',
        message: expect.stringContaining(file),
        hint: expect.stringContaining('Move it away'),
      })
      const untouched = new DatabaseSync(file)
      expect(
        untouched.prepare('select name from sqlite_master where type = ? order by 1').all('table'),
      ).toEqual([{ name: table }, { name: 'repository' }])
      untouched.close()
    },
  )

  it('makes all tables when a process was killed in the middle of making them', async () => {
    const file = newFile()
    mkdirSync(join(file, '..'), { recursive: true })
    const program = `
      import { Kysely } from 'kysely'
      import { Migrator } from 'kysely/migration'
      import { SqliteConnection } from ${JSON.stringify(storeUrl('sqlite/sqlite-connection.ts'))}
      import { sqliteDialect } from ${JSON.stringify(storeUrl('sqlite/sqlite-dialect.ts'))}
      import { createTables } from ${JSON.stringify(storeUrl('migrations/0001-tables.ts'))}
      const connection = new SqliteConnection(${JSON.stringify(file)}, 1_000)
      await connection.prepare()
      const db = new Kysely({ dialect: sqliteDialect(connection) })
      const up = async (transaction) => {
        await createTables(transaction)
        process.kill(process.pid, 'SIGKILL')
      }
      const provider = { getMigrations: async () => ({ '0001-tables': { up } }) }
      await db.transaction().execute((transaction) => new Migrator({ db: transaction, provider }).migrateToLatest())`
    expect(await once(runProgram(program), 'exit')).toEqual([null, 'SIGKILL'])
    const store = await withRepository(file)
    expect(await store.repositories.list()).toHaveLength(1)
    expect(await store.integrity()).toEqual([])
    await store.close()
  })

  it('refuses a file that is no database', async () => {
    const file = newFile()
    mkdirSync(join(file, '..'))
    writeFileSync(file, 'This is a letter, not a database. '.repeat(200))
    await expect(open(file)).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining(file),
    })
    expect(readFileSync(file, 'utf8')).toMatch(/^This is a letter/)
  })

  it.each([
    [
      'a folder',
      () => mkdirSync(join(scratch, 'folder/fixpoint.db'), { recursive: true }),
      'folder/fixpoint.db',
    ],
    ['inside a file', () => writeFileSync(join(scratch, 'plain'), ''), 'plain/fixpoint.db'],
  ])('refuses a path that is %s', async (_, prepare, path) => {
    prepare()
    await expect(open(join(scratch, path))).rejects.toMatchObject({
      code: 'home_unusable',
      hint: expect.stringContaining('FIXPOINT_HOME'),
    })
  })

  it.skipIf(process.getuid?.() !== 0).each([
    ['a folder that this user may not write to', 0o555, 0o644],
    ['a file that this user may only read', 0o777, 0o444],
    ['a file that this user may not even read', 0o777, 0o000],
  ])('refuses %s', async (_, folderMode, fileMode) => {
    const file = newFile()
    await (await open(file)).close()
    chmodSync(scratch, 0o755)
    chmodSync(file, fileMode)
    chmodSync(join(file, '..'), folderMode)
    const program = `
      import { openSqliteStore } from ${JSON.stringify(join(import.meta.dirname, '../../src/adapters/store/index.ts'))}
      process.setuid(65534)
      openSqliteStore({ file: ${JSON.stringify(file)}, now: Date.now })
        .then((store) => store.checkCache.put('key', {}))
        .catch((fault) => console.log(fault.code))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const said = await child.stdout.toArray()
    expect(Buffer.concat(said).toString()).toBe('home_unusable\n')
  })
})

describe('a SQLite store in trouble', () => {
  it('waits for another writer, and says busy when that takes too long', async () => {
    const file = newFile()
    const store = await withRepository(file)
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    const blocked = store.sessions.create({
      session: sampleSession('ses_blocked', []),
      attempts: [],
      events: [],
    })
    await expect(blocked).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining(file) })
    expect(await store.repositories.list()).toHaveLength(1)

    const patient = await open(file, 30_000)
    const waiting = patient.sessions.create({
      session: sampleSession('ses_waiting', []),
      attempts: [],
      events: [],
    })
    const turns = await new Promise((resolve) => {
      let count = 0
      const timer = setInterval(() => (count += 1) === 5 && resolve(clearInterval(timer) ?? count), 1)
    })
    expect(turns).toBe(5)
    other.exec('rollback')
    other.close()
    expect(await waiting).toEqual([])
    await patient.close()
    await store.close()
  })

  it('writes nothing into a file that was deleted or replaced', async () => {
    const file = newFile()
    const store = await withRepository(file)
    renameSync(file, `${file}.gone`)
    const deleted = store.sessions.create({
      session: sampleSession('ses_gone', []),
      attempts: [],
      events: [],
    })
    await expect(deleted).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining(file),
    })
    await expect(store.checkCache.put('key', commandRun)).rejects.toMatchObject({ code: 'store_failed' })
    const newId = RepositoryId.parse('rep_2')
    const ensured = store.repositories.ensure({ key: 'two', path: '/two', newId })
    await expect(ensured).rejects.toMatchObject({ code: 'store_failed' })
    expect(existsSync(file)).toBe(false)
    await store.close()
  })

  it('tells of a thread that ended, and opens another one for the next import', async () => {
    const entry = join(import.meta.dirname, '../fixtures/store/ends-at-once.ts')
    const onEnd = vi.fn<() => void>()
    const connection = new ThreadConnection(entry, { file: newFile(), busyTimeoutMs: 300 }, onEnd)
    await expect(connection.prepare()).rejects.toMatchObject({ code: 'store_failed' })
    await expect(connection.beginWrite()).rejects.toMatchObject({ code: 'store_failed' })
    expect(onEnd).toHaveBeenCalledOnce()
    await connection.close()
  })

  it('copies into the file what many rows were committed with, while others keep it open', async () => {
    const file = join(scratch, 'copied.db')
    const others = new SqliteConnection(file, 300)
    await others.prepare()
    await others.executeQuery(CompiledQuery.raw('create table word (id integer primary key)'))
    const entry = threadEntry()
    if (entry === null) throw new Error('the thread has no file here')
    const connection = new CopyingConnection(entry, { file, busyTimeoutMs: 300 }, () => undefined)
    await connection.prepare()
    const rows = Array.from({ length: 30_000 }, (_, id) => [id])
    for (let from = 0; from < rows.length; from += 5_000) {
      await connection.beginWrite()
      await connection.executeMany('insert into word (id) values (?)', rows.slice(from, from + 5_000))
      await connection.commit()
    }
    await connection.close()
    // Without the log beside it, the file holds what was copied into it.
    const alone = join(scratch, 'alone.db')
    copyFileSync(file, alone)
    const copied = new DatabaseSync(alone)
    expect(copied.prepare('select count(*) as count from word').get()).toEqual({ count: rows.length })
    copied.close()
    others.close()
  })

  it('ends the transaction with rows that fail, and writes nothing after them', async () => {
    const connection = new SqliteConnection(join(scratch, 'rows.db'), 300)
    const write = (sql: string) => connection.executeQuery(CompiledQuery.raw(sql))
    await write('create table word (id integer primary key)')
    await connection.beginWrite()
    await connection.executeMany('insert into word (id) values (?)', [[1]])
    const doubled = Array.from({ length: 120 }, (_, index) => [index % 90])
    await expect(connection.executeMany('insert into word (id) values (?)', doubled)).rejects.toMatchObject({
      code: 'internal',
    })
    await expect(write('insert into word (id) values (500)')).rejects.toMatchObject({ code: 'internal' })
    expect(() => connection.commit()).toThrow('has ended')
    connection.rollback()
    expect(await write('select * from word')).toEqual({ rows: [] })
    connection.close()
  })

  it('has news only when something was written that others read', async () => {
    const store = await withRepository(newFile())
    const session = sampleSession('ses_quiet', [], { owner: null })
    await store.sessions.create({ session, attempts: [], events: [] })
    const version = store.version()
    await store.sessions.load(session.id)
    const worker = {
      host: 'one',
      pid: 1,
      version: '1',
      concurrency: 1,
      sessions: [],
      started_at: '',
      draining: false,
    }
    await store.workers.put({ id: 'wrk_1', ...worker })
    await store.workers.put({ id: 'wrk_1', ...worker })
    expect(store.version()).toBe(version)
    await store.sessions.requestCancel(session.id)
    expect(store.version()).not.toBe(version)
    await store.close()
  })

  it('stores many findings beside a writer in this process, and waits for its turn', async () => {
    const store = await withRepository(newFile(), 60_000)
    const version = store.version()
    await importMany(store, 'earlier', 5_000)
    // Cached answers are kept until something changes, so they have to notice the writes of the thread.
    expect(store.version()).not.toBe(version)
    await Promise.all([
      importMany(store, 'large', 5_000),
      ...['a', 'b', 'c'].map((id) => importMany(store, id, 10)),
    ])
    const counts = await store.issues.count({ repositoryId })
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(5_000)
    await store.close()
  })

  it('tells of damaged pages instead of giving wrong answers', async () => {
    const file = newFile()
    const store = await withRepository(file)
    await importMany(store, 'damaged', 2_000)
    await store.close()
    const bytes = readFileSync(file)
    for (let page = 40; page * 4096 < bytes.length; page += 2)
      bytes.fill(0xa5, page * 4096, page * 4096 + 2048)
    writeFileSync(file, bytes)
    const damaged = await open(file)
    expect((await damaged.integrity()).length).toBeGreaterThan(0)
    await expect(importMany(damaged, 'later', 2_000)).rejects.toMatchObject({ code: 'store_failed' })
    await damaged.close()
  })

  it('names an issue that cannot be read', async () => {
    const file = newFile()
    const store = await withRepository(file)
    await importMany(store, 'many', 3)
    expect(await store.integrity()).toEqual([])
    await store.close()
    const raw = new DatabaseSync(file)
    raw.exec("update issue set data = '{broken' where code = 'BE-002'")
    raw.exec("update issue set lead = '{broken' where code = 'BE-003'")
    raw.close()
    const damaged = await open(file)
    expect(await damaged.integrity()).toEqual([
      expect.stringMatching(/^issue: the row iss_\w+ \(BE-002\) is no JSON$/),
      expect.stringMatching(/^issue: the row iss_\w+ \(BE-003\) is no JSON$/),
    ])
    await damaged.close()
  })

  it.skipIf(!canMount).each([100, 1_000_000])(
    'says disk full, keeps what was whole, and goes on when there is space again (of %i findings)',
    (count) => {
      const disk = join(scratch, `disk-${count}`)
      mkdirSync(disk)
      const program = join(import.meta.dirname, '../fixtures/store/fills-disk.ts')
      const mounted = 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$1" "$2" "$0" "$3"'
      const args = ['--mount', 'sh', '-c', mounted, disk, process.execPath, program, String(count)]
      expect(execFileSync('unshare', args, { encoding: 'utf8' })).toBe(
        'disk_full\n{"whole":true,"problems":[]}\n',
      )
    },
  )
})

const commandRun = {
  name: 'test',
  run: 'npm test',
  ended: 'exited' as const,
  exit_code: 0,
  output: '',
  tests: null,
  duration_ms: 1,
  flaky: false,
}
