import type { Kysely } from 'kysely'

/** What all processes share: the services behind agents, and chores that one of them does for all. */
export async function createProviderTables({ schema }: Pick<Kysely<unknown>, 'schema'>): Promise<void> {
  await schema
    .createTable('provider_place')
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('provider_place_key', ['provider', 'place'])
    .execute()
  await schema
    .createTable('provider_pause')
    .addColumn('provider', 'text', (column) => column.primaryKey())
    .addColumn('until_ms', 'bigint', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('chore')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('done_at', 'bigint', (column) => column.notNull())
    .execute()
}
