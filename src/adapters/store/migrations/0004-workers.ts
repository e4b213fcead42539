import type { Kysely } from 'kysely'

/** Workers that say what they do, and what people want of sessions that another process drives. */
export async function createWorkerTables({ schema }: Pick<Kysely<unknown>, 'schema'>): Promise<void> {
  await schema
    .createTable('worker')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('session_note')
    .addColumn('session_id', 'text', (column) => column.notNull().references('session.id'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('session_note_key', ['session_id', 'number'])
    .execute()
  await schema.createIndex('session_open').on('session').columns(['status', 'id']).execute()
}
