import type { Kysely } from 'kysely'
import type { RepositoryEntry, RepositoryStore } from '../../../loop/ports.ts'
import { Repository } from '../../../model/repository.ts'
import { parseRow } from '../tables/stored-json.ts'
import type { Database, TableRow, Tables } from '../tables/tables.ts'

export const repositoryStore = (db: Database): RepositoryStore => ({
  ensure: (request) => ensure(db, request),
  get: async (id) => {
    const row = await db.query.selectFrom('repository').selectAll().where('id', '=', id).executeTakeFirst()
    return row ? parseRow(Repository, row) : null
  },
  list: async () => {
    const listed = db.query.selectFrom('repository').selectAll().where('removed_at', 'is', null)
    return (await listed.orderBy('id').execute()).map((row) => parseRow(Repository, row))
  },
  remove: async (id) => {
    const removed_at = new Date(db.now()).toISOString()
    await db.query.updateTable('repository').set({ removed_at }).where('id', '=', id).execute()
  },
  trusted: async (id) => {
    const rows = db.query.selectFrom('repository_trust').select('item').where('repository_id', '=', id)
    return new Set((await rows.execute()).map(({ item }) => item))
  },
  trust: async (id, items) => {
    const trusted_at = new Date(db.now()).toISOString()
    const rows = items.map((item) => ({ repository_id: id, item, trusted_at }))
    if (rows.length === 0) return
    const insert = db.query.insertInto('repository_trust').values(rows)
    await insert
      .onConflict((conflict) => conflict.columns(['repository_id', 'item']).doUpdateSet({ trusted_at }))
      .execute()
  },
  distrust: async (id) => {
    const gone = await db.query
      .deleteFrom('repository_trust')
      .where('repository_id', '=', id)
      .executeTakeFirst()
    return Number(gone.numDeletedRows)
  },
})

type Row = TableRow<'repository'>

async function ensure(db: Database, request: RepositoryEntry): Promise<Repository> {
  const { key, id, newId } = request
  const known = await find(db.query, request)
  if (known && isAsAsked(known, request)) return parseRow(Repository, known)
  return db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, 'all')
    const found = await find(transaction, request)
    const created_at = new Date(db.now()).toISOString()
    const row = found ?? { id: id ?? newId, key, created_at, path: request.path, url: null, removed_at: null }
    const wanted = keyAfter(row, request)
    const other = wanted === row.key ? null : await byKey(transaction, wanted)
    const values = { ...row, ...placeAfter(row, request), removed_at: null, key: other ? row.key : wanted }
    const { path, url, removed_at } = values
    await transaction
      .insertInto('repository')
      .values(values)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ path, url, removed_at, key: values.key }))
      .execute()
    return parseRow(Repository, values)
  })
}

function isAsAsked(known: Row, request: RepositoryEntry): boolean {
  const { path, url } = placeAfter(known, request)
  const isSamePlace = known.path === path && known.url === url && known.removed_at === null
  return isSamePlace && keyAfter(known, request) === known.key
}

/** A repository that is fetched from an address stays that: Fixpoint does not work in a person's own clone of it. */
const placeAfter = (
  row: Pick<Row, 'path' | 'url'>,
  { path, url }: RepositoryEntry,
): Pick<Row, 'path' | 'url'> =>
  url === undefined
    ? row.url === null
      ? { path, url: null }
      : { path: row.path, url: row.url }
    : { path, url }

/** A clone that knows less keeps the key that a clone that knew more has made. */
const keyAfter = ({ key }: Pick<Repository, 'key'>, { key: now, fullerEnd }: RepositoryEntry): string =>
  fullerEnd !== undefined && key.endsWith(fullerEnd) ? key : now

/** By what the clone remembers, by its history, or by its remote. */
async function find(
  query: Kysely<Tables>,
  { id, key, fullerEnd, poorer }: RepositoryEntry,
): Promise<Row | null> {
  const rows = query.selectFrom('repository').selectAll().orderBy('id').limit(1)
  const found =
    (id && (await rows.where('id', '=', id).executeTakeFirst())) ||
    (await byKey(query, key)) ||
    (fullerEnd !== undefined && (await rows.where('key', 'like', `%${fullerEnd}`).executeTakeFirst())) ||
    (poorer !== undefined && (await byKey(query, poorer)))
  return found || null
}

const byKey = (query: Kysely<Tables>, key: string) =>
  query.selectFrom('repository').selectAll().where('key', '=', key).executeTakeFirst()
