import type { Kysely, SchemaModule } from 'kysely'

/** The first schema; what each table and column holds is said in `tables.ts`. */
export async function createTables({ schema }: Pick<Kysely<unknown>, 'schema'>): Promise<void> {
  await createReviewTables(schema)
  await createIssueTables(schema)
  await createSessionTables(schema)
}

async function createReviewTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('repository')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key', 'text', (column) => column.notNull().unique())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('review')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('repository_id', 'text', (column) => column.notNull().references('repository.id'))
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('review_of_repository').on('review').columns(['repository_id', 'id']).execute()
}

async function createIssueTables(schema: SchemaModule): Promise<void> {
  // No reference to the repository here: it is checked once per triage instead of once per row.
  await schema
    .createTable('issue')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('repository_id', 'text', (column) => column.notNull())
    .addColumn('task_id', 'text')
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('file', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('severity', 'text', (column) => column.notNull())
    .addColumn('rank', 'double precision', (column) => column.notNull())
    .addColumn('search', 'text', (column) => column.notNull())
    .addColumn('lead', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addUniqueConstraint('issue_code', ['repository_id', 'code'])
    .execute()
  const indices = {
    issue_fingerprint: ['fingerprint'],
    issue_file: ['repository_id', 'file'],
    issue_of_repository: ['repository_id', 'status', 'severity', 'rank', 'id'],
    issue_of_task: ['task_id', 'status', 'severity', 'rank', 'id'],
  }
  for (const [name, columns] of Object.entries(indices))
    await schema.createIndex(name).on('issue').columns(columns).execute()
  // Nor is there one here, for the same reason.
  await schema
    .createTable('finding')
    .addColumn('issue_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('review_id', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('finding_key', ['issue_id', 'id'])
    .execute()
  await schema
    .createTable('code_counter')
    .addColumn('repository_id', 'text', (column) => column.notNull().references('repository.id'))
    .addColumn('class', 'text', (column) => column.notNull())
    .addColumn('last', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('code_counter_key', ['repository_id', 'class'])
    .execute()
  await schema
    .createTable('issue_move')
    .addColumn('issue_id', 'text', (column) => column.notNull().references('issue.id'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('issue_move_key', ['issue_id', 'number'])
    .execute()
}

async function createSessionTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('session')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('repository_id', 'text', (column) => column.notNull().references('repository.id'))
    .addColumn('owner', 'text')
    .addColumn('last_seq', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('session_of_repository').on('session').columns(['repository_id', 'id']).execute()
  await schema
    .createTable('attempt')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('session.id'))
    .addColumn('issue_id', 'text', (column) => column.notNull().references('issue.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('attempt_of_session').on('attempt').columns(['session_id', 'position']).execute()
  await schema.createIndex('attempt_of_issue').on('attempt').columns(['issue_id', 'id']).execute()
  await schema
    .createTable('event')
    .addColumn('session_id', 'text', (column) => column.notNull().references('session.id'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('issue_id', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('event_key', ['session_id', 'seq'])
    .execute()
  await schema.createIndex('event_of_issue').on('event').columns(['issue_id', 'session_id', 'seq']).execute()
  await schema
    .createTable('command_run')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('session_request')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('session.id'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createTable('session_cancel')
    .addColumn('session_id', 'text', (column) => column.primaryKey().references('session.id'))
    .addColumn('requested_at', 'bigint', (column) => column.notNull())
    .execute()
}
