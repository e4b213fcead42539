import type { Kysely } from 'kysely'

/** Repositories that are somewhere else, and what was trusted of them. */
export async function addRepositoryUrls({ schema }: Pick<Kysely<unknown>, 'schema'>): Promise<void> {
  await schema.alterTable('repository').addColumn('url', 'text').execute()
  await schema.alterTable('repository').addColumn('removed_at', 'text').execute()
  await schema
    .createTable('repository_trust')
    .addColumn('repository_id', 'text', (column) => column.notNull().references('repository.id'))
    .addColumn('item', 'text', (column) => column.notNull())
    .addColumn('trusted_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('repository_trust_key', ['repository_id', 'item'])
    .execute()
}
