import { sql, type SchemaModule } from 'kysely'
import type { DatabaseKind } from '../tables.ts'

/** Sessions that somebody asked to end; whoever drives one looks here. */
export async function createSessionCancels(schema: SchemaModule, kind: DatabaseKind): Promise<void> {
  const text = kind === 'postgres' ? sql`text collate "C"` : sql`text`
  await schema
    .createTable('session_cancel')
    .addColumn('session_id', text, (column) => column.primaryKey().references('session.id'))
    .addColumn('requested_at', kind === 'postgres' ? 'bigint' : 'integer', (column) => column.notNull())
    .execute()
}
