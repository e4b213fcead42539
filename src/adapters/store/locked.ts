import type { SelectQueryBuilder } from 'kysely'
import type { Database } from './tables.ts'

/** Holds the rows until the transaction ends. SQLite's transactions hold the whole database already. */
export const locked = <Tables, Table extends keyof Tables, Result>(
  db: Pick<Database, 'kind'>,
  query: SelectQueryBuilder<Tables, Table, Result>,
): SelectQueryBuilder<Tables, Table, Result> => (db.kind === 'postgres' ? query.forUpdate() : query)
