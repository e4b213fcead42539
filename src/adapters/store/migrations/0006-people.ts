import type { Kysely } from 'kysely'

/** Who may come in, and who changed what. */
export async function createPeopleTables({ schema }: Pick<Kysely<unknown>, 'schema'>): Promise<void> {
  await schema
    .createTable('access_token')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('access_token_name').on('access_token').column('name').execute()
  await schema
    .createTable('audit')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('audit_person').on('audit').columns(['person', 'id']).execute()
}
