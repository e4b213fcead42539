import type { Kysely } from 'kysely'

/** The newest votes on each pull request. */
export async function createPullVoteTable({ schema }: Pick<Kysely<unknown>, 'schema'>): Promise<void> {
  await schema
    .createTable('pull_vote')
    .addColumn('repository_id', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('pull_vote_key', ['repository_id', 'number'])
    .execute()
}
