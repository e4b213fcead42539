import { sql, type SchemaModule } from 'kysely'
import type { DatabaseKind } from '../tables.ts'

/** What happened to issues outside of sessions. */
export async function createIssueMoves(schema: SchemaModule, kind: DatabaseKind): Promise<void> {
  const text = kind === 'postgres' ? sql`text collate "C"` : sql`text`
  await schema
    .createTable('issue_move')
    .addColumn('issue_id', text, (column) => column.notNull().references('issue.id'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('data', kind === 'postgres' ? sql`json` : sql`text`, (column) => column.notNull())
    .addPrimaryKeyConstraint('issue_move_key', ['issue_id', 'number'])
    .execute()
}
