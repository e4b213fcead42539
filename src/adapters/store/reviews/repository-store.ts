import type { RepositoryEntry, RepositoryStore } from '../../../loop/ports.ts'
import { Repository } from '../../../model/repository.ts'
import { parseRow } from '../tables/stored-json.ts'
import type { Database } from '../tables/tables.ts'

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

async function ensure(db: Database, { key, path, newId }: RepositoryEntry): Promise<Repository> {
  const known = await db.query.selectFrom('repository').selectAll().where('key', '=', key).executeTakeFirst()
  if (known?.path === path) return parseRow(Repository, known)
  const stored = await db.query
    .insertInto('repository')
    .values({ id: newId, key, path, created_at: new Date(db.now()).toISOString() })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ path }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return parseRow(Repository, stored)
}
