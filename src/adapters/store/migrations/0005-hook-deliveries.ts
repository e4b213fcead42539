import type { Kysely } from 'kysely'

/** What forges told this database's servers, so that each delivery counts once. */
export async function createHookDeliveryTable({ schema }: Pick<Kysely<unknown>, 'schema'>): Promise<void> {
  await schema
    .createTable('hook_delivery')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('subject', 'text', (column) => column.notNull().unique())
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('owner', 'text')
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('hook_delivery_state')
    .on('hook_delivery')
    .columns(['state', 'received_at'])
    .execute()
  await schema
    .createIndex('hook_delivery_place')
    .on('hook_delivery')
    .columns(['place', 'received_at'])
    .execute()
}
