import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Dialect } from 'kysely'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { ThreadConnection } from './thread-connection.ts'

/** kysely takes SQLite for a database whose tables cannot be made inside a transaction; they can. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): true {
    return true
  }
}

/** kysely over one node:sqlite connection; a transaction that may write takes the write lock at its start. */
export const sqliteDialect = (connection: SqliteConnection | ThreadConnection): Dialect => ({
  createAdapter: () => new TransactionalAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createDriver: () => ({
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: (_, { accessMode }) =>
      accessMode === 'read only' ? connection.beginRead() : connection.beginWrite(),
    commitTransaction: async () => connection.commit(),
    rollbackTransaction: async () => connection.rollback(),
    releaseConnection: async () => {},
    destroy: async () => connection.close(),
  }),
})
