import { dirname, join } from 'node:path'
import type { Variables } from '../adapters/process/clean-environment.ts'
import { copySqliteFile, openSqliteStore, type Store } from '../adapters/store/index.ts'
import type { Counts } from '../adapters/store/postgres/copy-database.ts'
import { describePostgres } from '../adapters/store/postgres/postgres-address.ts'
import { Fault } from '../model/fault.ts'
import { openHome } from './home.ts'
import { clock } from './machine.ts'
import { redactStore } from './redact/redact-exits.ts'

/** Which database keeps everything: the one that `FIXPOINT_DATABASE` names, else the file in the home. */
export type DatabasePlace = { readonly url: string } | { readonly file: string }

export function findDatabase(home: string, env: Variables): DatabasePlace {
  const { FIXPOINT_DATABASE: url } = env
  if (!url) return { file: join(home, 'fixpoint.db') }
  if (/^postgres(ql)?:/.test(url)) return { url }
  throw new Fault('usage', 'FIXPOINT_DATABASE is not the address of a PostgreSQL database', {
    hint: 'Write it as postgres://user:password@host:5432/name, or leave it out to use the file in FIXPOINT_HOME.',
  })
}

/** The open database; everything that is written through it is redacted. */
export const openStore = async (home: string, env: Variables): Promise<Store> =>
  redactStore(await openDatabase(findDatabase(home, env)))

async function openDatabase(place: DatabasePlace): Promise<Store> {
  if ('file' in place) return openSqliteStore({ file: place.file, now: clock.now })
  // Loaded only where it is used: the driver would slow every start down.
  const { openPostgresStore } = await import('../adapters/store/postgres/open-postgres-store.ts')
  return openPostgresStore({ url: place.url })
}

export interface DatabaseState {
  readonly kind: 'sqlite' | 'postgres'
  /** The file, or the address without user and password. */
  readonly database: string
  readonly applied: readonly string[]
  readonly pending: readonly string[]
}

/** What the tables of the queue are called among the migrations; the queue looks after them itself. */
const queueTables = 'queue'

/** The state of the database's tables; every process that opens a file brings it up to date. */
export async function readDatabaseState(env: Variables): Promise<DatabaseState> {
  const home = openHome(env)
  const place = findDatabase(home, env)
  if ('file' in place) {
    const store = await openStore(home, env)
    const state = await store.migrations()
    await store.close()
    return { kind: 'sqlite', database: place.file, ...state }
  }
  const { readPostgresMigrations } = await import('../adapters/store/postgres/open-postgres-store.ts')
  const { applied, pending } = await readPostgresMigrations(place.url)
  const { isPgBossPrepared } = await import('../adapters/queue/pg-boss-queue.ts')
  const hasQueue = await isPgBossPrepared(place.url)
  return {
    kind: 'postgres',
    database: describePostgres(place.url),
    applied: hasQueue ? [...applied, queueTables] : applied,
    pending: hasQueue ? pending : [...pending, queueTables],
  }
}

/** Brings the tables up to this version; returns the migrations that were applied. */
export async function migrateDatabase(env: Variables): Promise<readonly string[]> {
  const place = findDatabase(openHome(env), env)
  if ('file' in place) {
    await (await openStore(openHome(env), env)).close()
    return []
  }
  const { migratePostgres } = await import('../adapters/store/postgres/open-postgres-store.ts')
  const applied = await migratePostgres(place.url)
  const { isPgBossPrepared, preparePgBoss } = await import('../adapters/queue/pg-boss-queue.ts')
  if (await isPgBossPrepared(place.url)) return applied
  await preparePgBoss(place.url)
  return [...applied, queueTables]
}

export interface CopyDatabaseRequest {
  readonly env: Variables
  readonly file: string
  readonly onTable: (table: string, rows: number) => void
}

export interface CopiedDatabase {
  readonly rows: Counts
  readonly artifacts: number
}

/** Copies a database file, and the artifacts beside it, to where both are kept now. */
export async function copyDatabase({ env, file, onTable }: CopyDatabaseRequest): Promise<CopiedDatabase> {
  const place = findDatabase(openHome(env), env)
  if ('file' in place)
    throw new Fault('usage', 'a copy goes into a PostgreSQL database, and FIXPOINT_DATABASE names none', {
      hint: 'FIXPOINT_DATABASE=postgres://user:password@host:5432/name fixpoint db copy --from FILE',
    })
  await migrateDatabase(env)
  // Rows speak of artifacts, so those come first.
  const { copyArtifacts } = await import('./copy-artifacts.ts')
  const artifacts = await copyArtifacts({ env, from: dirname(file) })
  const { copySqliteToPostgres } = await import('../adapters/store/postgres/copy-database.ts')
  return { rows: await copySqliteToPostgres({ file, url: place.url, onTable }), artifacts }
}

/** Copies the database that is in use into a new file, for work that must not change it. */
export async function copyStore(env: Variables, file: string): Promise<void> {
  const place = findDatabase(openHome(env), env)
  if ('file' in place) return copySqliteFile(place.file, file)
  const { copyPostgresToSqlite } = await import('../adapters/store/postgres/copy-database.ts')
  await copyPostgresToSqlite({ url: place.url, file, onTable: () => undefined })
}
