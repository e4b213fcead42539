import type { Kysely } from 'kysely'
import type { RepositoryEntry, RepositoryStore } from '../../../loop/ports.ts'
import { Repository } from '../../../model/repository.ts'
import { parseRow } from '../tables/stored-json.ts'
import type { Database, Tables } from '../tables/tables.ts'

export const repositoryStore = (db: Database): RepositoryStore => ({
  ensure: (request) => ensure(db, request),
  get: async (id) => {
    const row = await db.query.selectFrom('repository').selectAll().where('id', '=', id).executeTakeFirst()
    return row ? parseRow(Repository, row) : null
  },
  list: async () => {
    const rows = await db.query.selectFrom('repository').selectAll().orderBy('id').execute()
    return rows.map((row) => parseRow(Repository, row))
  },
})

async function ensure(db: Database, request: RepositoryEntry): Promise<Repository> {
  const { key, path, id, newId } = request
  const known = await find(db.query, request)
  if (known?.path === path && keyAfter(known, request) === known.key) return known
  return db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, 'all')
    const found = await find(transaction, request)
    const created_at = new Date(db.now()).toISOString()
    const row = found ?? { id: id ?? newId, key, created_at }
    const wanted = keyAfter(row, request)
    const other = wanted === row.key ? null : await byKey(transaction, wanted)
    const values = { ...row, path, key: other ? row.key : wanted }
    await transaction
      .insertInto('repository')
      .values(values)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ path, key: values.key }))
      .execute()
    return parseRow(Repository, values)
  })
}

/** A clone that knows less leaves the key as one that knew more has made it. */
const keyAfter = ({ key }: Pick<Repository, 'key'>, { key: now, fullerEnd }: RepositoryEntry): string =>
  fullerEnd !== undefined && key.endsWith(fullerEnd) ? key : now

/** By what the clone remembers, by its history, or by its remote. */
async function find(
  query: Kysely<Tables>,
  { id, key, fullerEnd, poorer }: RepositoryEntry,
): Promise<Repository | null> {
  const rows = query.selectFrom('repository').selectAll().orderBy('id').limit(1)
  const found =
    (id && (await rows.where('id', '=', id).executeTakeFirst())) ||
    (await byKey(query, key)) ||
    (fullerEnd !== undefined && (await rows.where('key', 'like', `%${fullerEnd}`).executeTakeFirst())) ||
    (poorer !== undefined && (await byKey(query, poorer)))
  return found ? parseRow(Repository, found) : null
}

const byKey = (query: Kysely<Tables>, key: string) =>
  query.selectFrom('repository').selectAll().where('key', '=', key).executeTakeFirst()
