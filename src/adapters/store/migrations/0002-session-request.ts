import { sql, type SchemaModule } from 'kysely'
import type { DatabaseKind } from '../tables.ts'

/** Which session was made for which request, so that the same one is not made twice. */
export async function createSessionRequests(schema: SchemaModule, kind: DatabaseKind): Promise<void> {
  const text = kind === 'postgres' ? sql`text collate "C"` : sql`text`
  await schema
    .createTable('session_request')
    .addColumn('key', text, (column) => column.primaryKey())
    .addColumn('session_id', text, (column) => column.notNull().references('session.id'))
    .addColumn('created_at', kind === 'postgres' ? 'bigint' : 'integer', (column) => column.notNull())
    .execute()
}
