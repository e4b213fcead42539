import { sql, type Kysely, type SchemaModule } from 'kysely'
import { Fault } from '../../../model/fault.ts'
import type { Database, DatabaseKind, Tables } from '../tables.ts'
import { createInitialTables } from './0001-initial.ts'
import { createSessionRequests } from './0002-session-request.ts'
import { createSessionCancels } from './0003-session-cancel.ts'
import { createIssueMoves } from './0004-issue-move.ts'

interface Migration {
  readonly name: string
  readonly up: (schema: SchemaModule, kind: DatabaseKind) => Promise<void>
}

const migrations: readonly Migration[] = [
  { name: '0001-initial', up: createInitialTables },
  { name: '0002-session-request', up: createSessionRequests },
  { name: '0003-session-cancel', up: createSessionCancels },
  { name: '0004-issue-move', up: createIssueMoves },
]

/** Brings the tables up to this version: all of it or nothing, whoever else is starting at the same time. */
export async function migrate(db: Database): Promise<void> {
  if ((await hasMigrations(db.query)) && missing(await appliedNames(db.query)).length === 0) return
  await db.query.transaction().execute(async (transaction) => {
    if (db.kind === 'postgres') await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction)
    await createMigrationTable(transaction, db.kind)
    for (const migration of missing(await appliedNames(transaction))) {
      await migration.up(transaction.schema, db.kind)
      await transaction
        .insertInto('migration')
        .values({ name: migration.name, applied_at: db.now() })
        .execute()
    }
  })
}

/** Any number of our own: PostgreSQL's advisory locks are told apart by it. */
const migrationLock = 3_141_592_653

async function hasMigrations(db: Kysely<Tables>): Promise<boolean> {
  const tables = await db.introspection.getTables()
  return tables.some((table) => table.name === 'migration')
}

async function createMigrationTable(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable('migration')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', kind === 'postgres' ? 'bigint' : 'integer', (column) => column.notNull())
    .execute()
}

async function appliedNames(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('migration').select('name').execute()
  return new Set(rows.map((row) => row.name))
}

function missing(applied: ReadonlySet<string>): readonly Migration[] {
  const unknown = [...applied].filter((name) => !migrations.some((migration) => migration.name === name))
  if (unknown.length > 0)
    throw new Fault(
      'store_failed',
      `The database was written by a newer Fixpoint: this version does not know ${unknown.join(', ')}`,
      { hint: 'Upgrade Fixpoint, or point FIXPOINT_HOME at another folder.', details: { unknown } },
    )
  return migrations.filter((migration) => !applied.has(migration.name))
}
