import type { Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { Fault } from '../../../model/fault.ts'
import type { Tables } from '../tables/tables.ts'
import { createTables } from './0001-tables.ts'
import { migrationNames } from './names.ts'

const migrations: Readonly<Record<(typeof migrationNames)[number], Migration>> = {
  '0001-tables': { up: createTables },
}

/** The migrations of this version that a database has, and those that it lacks. */
export interface MigrationState {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
}

/**
 * Brings the tables of a database up to this version, all of it or nothing, even when others open it at the same time.
 * Returns the migrations that were applied.
 */
export async function migrate(
  query: Kysely<Tables>,
  name: string,
  /** Keeps others out; not needed where a transaction has the database for itself. */
  lock: (transaction: Kysely<Tables>) => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const { pending } = await readMigrations(query, name)
  if (pending.length === 0) return []
  return query.transaction().execute(async (transaction) => {
    await lock(transaction)
    const provider = { getMigrations: async () => ({ ...migrations }) }
    const { error, results = [] } = await new Migrator({ db: transaction, provider }).migrateToLatest()
    if (error !== undefined)
      throw error instanceof Error ? error : new Fault('internal', 'A migration failed', { cause: error })
    return results.map(({ migrationName }) => migrationName)
  })
}

/** For databases that many use: only the command that is asked to changes their tables. */
export async function assertUpToDate(query: Kysely<Tables>, name: string): Promise<void> {
  const { applied, pending } = await readMigrations(query, name)
  if (pending.length === 0) return
  const what = applied.length === 0 ? 'has no tables yet' : `lacks the migrations ${pending.join(', ')}`
  throw new Fault('store_failed', `The database ${name} ${what}`, {
    hint: 'Run fixpoint db migrate once.',
    details: { database: name, pending },
  })
}

/** Most often there is nothing to do, and then nobody has to wait for the write lock. */
export async function readMigrations(query: Kysely<Tables>, file: string): Promise<MigrationState> {
  const tables = await query.introspection.getTables({ withInternalKyselyTables: true })
  const has = (name: string): boolean => tables.some((table) => table.name === name)
  if (has('migration')) throw unreleased(file)
  const names: readonly string[] = migrationNames
  if (!has('kysely_migration')) return { applied: [], pending: names }
  const applied = await query.selectFrom('kysely_migration').select('name').execute()
  const isApplied = new Set(applied.map(({ name }) => name))
  const [first = ''] = names
  if (isApplied.size > 0 && !isApplied.has(first)) throw unreleased(file)
  const unknown = [...isApplied].filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) throw tooNew(file, unknown)
  return {
    applied: names.filter((name) => isApplied.has(name)),
    pending: names.filter((name) => !isApplied.has(name)),
  }
}

/** No released version ever made such tables, so nothing can bring them forward. */
const unreleased = (file: string): Fault =>
  new Fault('store_failed', `The database ${file} was made by a Fixpoint from before the first release`, {
    hint: 'Move it away: a new one is made, and fixpoint review or fixpoint import finds the issues again. Branches that were fixed stay as they are.',
    details: { file },
  })

const tooNew = (file: string, unknown: readonly string[]): Fault =>
  new Fault(
    'store_failed',
    `The database ${file} was written by a newer Fixpoint: this version does not know ${unknown.join(', ')}`,
    { hint: 'Upgrade Fixpoint, or point FIXPOINT_HOME at another folder.', details: { file, unknown } },
  )
