import type { Kysely } from 'kysely'

/** Which processes are alive, for databases that several machines use. */
export async function createProcessLeaseTable({ schema }: Pick<Kysely<unknown>, 'schema'>): Promise<void> {
  await schema
    .createTable('process_lease')
    .addColumn('process', 'text', (column) => column.primaryKey())
    .addColumn('renewed_at', 'bigint', (column) => column.notNull())
    .execute()
}
