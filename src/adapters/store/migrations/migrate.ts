import type { Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { Fault } from '../../../model/fault.ts'
import type { Tables } from '../tables/tables.ts'
import { createTables } from './0001-initial.ts'
import { addLookups } from './0002-lookups.ts'

/** Applied in the order of their names. One that was ever released is never edited: the next one follows it. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': { up: createTables },
  '0002-lookups': { up: addLookups },
}

/** Brings the tables of a file up to this version: all of it or nothing, whoever else opens the file at the same time. */
export async function migrate(query: Kysely<Tables>, file: string): Promise<void> {
  if (await isUpToDate(query, file)) return
  await query.transaction().execute(async (transaction) => {
    const provider = { getMigrations: async () => ({ ...migrations }) }
    const { error } = await new Migrator({ db: transaction, provider }).migrateToLatest()
    if (error !== undefined)
      throw error instanceof Error ? error : new Fault('internal', 'A migration failed', { cause: error })
  })
}

/** Most often there is nothing to do, and then nobody has to wait for the write lock. */
async function isUpToDate(query: Kysely<Tables>, file: string): Promise<boolean> {
  const tables = await query.introspection.getTables({ withInternalKyselyTables: true })
  const has = (name: string): boolean => tables.some((table) => table.name === name)
  if (has('migration')) throw unreleased(file)
  if (!has('kysely_migration')) return false
  const applied = await query.selectFrom('kysely_migration').select('name').execute()
  const unknown = applied.map(({ name }) => name).filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) throw tooNew(file, unknown)
  return applied.length === Object.keys(migrations).length
}

/** Tables that no released version ever made: there is nothing to bring them forward with. */
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
