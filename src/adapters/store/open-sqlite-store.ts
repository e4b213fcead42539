import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { Fault } from '../../model/fault.ts'
import { migrate, readMigrations } from './migrations/migrate.ts'
import { storeOn, type Store } from './store.ts'
import type { Database, Tables } from './tables/tables.ts'
import { brokenRow, mostRows, type BrokenRow } from './issues/broken-row.ts'
import { countInserted } from './sqlite/count-issues.ts'
import { CopyingConnection } from './sqlite/copying-connection.ts'
import { SqliteConnection } from './sqlite/sqlite-connection.ts'
import { sqliteDialect } from './sqlite/sqlite-dialect.ts'
import type { ThreadData } from './sqlite/sqlite-thread.ts'
import { type ThreadConnection, threadEntry } from './sqlite/thread-connection.ts'

export interface SqliteStoreOptions {
  readonly file: string
  readonly now: () => number
  /** How long to wait for another process that writes. */
  readonly busyTimeoutMs?: number
}

const defaultBusyTimeoutMs = 10_000

/** Opens the database file, or makes it, with its tables brought up to date. Any number of processes may do so at once. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file, now, busyTimeoutMs = defaultBusyTimeoutMs } = options
  makeFolder(dirname(file))
  const connection = new SqliteConnection(file, busyTimeoutMs)
  let thread: Promise<Database> | null = null
  const forgetThread = (): void => void (thread = null)
  const forMany = (): Promise<Database> => {
    thread ??= openThread({ file, busyTimeoutMs }, { now, fallback: db, onEnd: forgetThread })
    thread.catch(forgetThread)
    return thread
  }
  const db = databaseOn(connection, now, forMany)
  try {
    await connection.prepare()
    await migrate(db.query, file)
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    ...storeOn(db),
    integrity: () => findDamage(db.query),
    migrations: () => readMigrations(db.query, file),
    version: () => connection.version(),
    watch: null,
    words: null,
    isOwnerAlive: null,
    readOwners: async () => undefined,
    figures: null,
    close: async () => {
      if (thread) await (await thread).query.destroy()
      await db.query.destroy()
    },
  }
}

const databaseOn = (
  connection: SqliteConnection | ThreadConnection,
  now: () => number,
  forMany: Database['forMany'],
): Database => ({
  query: new Kysely<Tables>({ dialect: sqliteDialect(connection) }),
  now,
  executeMany: (_transaction, statement, lists) => connection.executeMany(statement.sql, lists),
  countInserted,
  // A transaction that may write has the file for itself.
  lockRepository: async () => {},
  forMany,
})

interface ThreadSurroundings {
  readonly now: () => number
  /** Where the thread's own file is not at hand. */
  readonly fallback: Database
  readonly onEnd: () => void
}

async function openThread(data: ThreadData, { now, fallback, onEnd }: ThreadSurroundings): Promise<Database> {
  const entry = threadEntry()
  if (entry === null) return fallback
  const connection = new CopyingConnection(entry, data, onEnd)
  await connection.prepare()
  const threaded: Database = databaseOn(connection, now, async () => threaded)
  return threaded
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Fault(
      'home_unusable',
      `The folder ${folder} cannot be made: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        hint: 'Set FIXPOINT_HOME to a folder that this user may write to.',
      },
    )
  }
}

async function findDamage(query: Kysely<Tables>): Promise<readonly string[]> {
  try {
    const pages = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(query)
    const links = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(query)
    const rows = await sql<BrokenRow>`
      select id, code from issue
      where not json_valid(data) or (lead is not null and not json_valid(lead)) limit ${mostRows}`.execute(
      query,
    )
    return [
      ...pages.rows.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
      ...links.rows.map((row) => `${row.table}: a row refers to a ${row.parent} that is not there`),
      ...rows.rows.map(brokenRow),
    ]
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/** Queries on a file, for whoever copies all of it. */
export async function withSqlite<Result>(
  file: string,
  use: (query: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const connection = new SqliteConnection(file, defaultBusyTimeoutMs)
  const query = new Kysely<Tables>({ dialect: sqliteDialect(connection) })
  try {
    await connection.prepare()
    await migrate(query, file)
    return await use(query)
  } finally {
    await query.destroy()
  }
}

/** A copy of a database as it is at this moment, even while others write to it. */
export function copySqliteFile(from: string, to: string): void {
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    source.prepare('vacuum into ?').run(to)
  } finally {
    source.close()
  }
}
