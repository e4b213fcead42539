import type { Kysely, SchemaModule } from 'kysely'
import { keepIssueTotals } from './issue-totals.ts'

/** The first schema; `tables.ts` says what each table and column holds. */
export async function createTables(query: Kysely<unknown>): Promise<void> {
  const { schema } = query
  await createRepositoryTables(schema)
  await createIssueTables(schema)
  await createFindingTables(schema)
  await keepIssueTotals(query)
  await createSessionTables(schema)
  await createAttemptTables(schema)
  await createProcessTables(schema)
  await createForgeTables(schema)
  await createPeopleTables(schema)
}

async function createRepositoryTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('repository')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key', 'text', (column) => column.notNull().unique())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('url', 'text')
    .addColumn('removed_at', 'text')
    .execute()
  await schema
    .createTable('repository_trust')
    .addColumn('repository_id', 'text', (column) => column.notNull().references('repository.id'))
    .addColumn('item', 'text', (column) => column.notNull())
    .addColumn('trusted_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('repository_trust_key', ['repository_id', 'item'])
    .execute()
  await schema
    .createTable('review')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('repository_id', 'text', (column) => column.notNull().references('repository.id'))
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('review_of_repository').on('review').columns(['repository_id', 'id']).execute()
  await createReviewOrderTables(schema)
}

async function createReviewOrderTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('review_order')
    .addColumn('id', 'text', (column) => column.primaryKey().references('review.id'))
    .addColumn('repository_id', 'text', (column) => column.notNull().references('repository.id'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('owner', 'text')
    .addColumn('last_seq', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('review_event')
    .addColumn('review_id', 'text', (column) => column.notNull().references('review.id'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('review_event_key', ['review_id', 'seq'])
    .execute()
}

async function createIssueTables(schema: SchemaModule): Promise<void> {
  // No reference to the repository here: triage checks it once instead of once for every row.
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
    .addColumn('rule', 'text')
    .addColumn('tools', 'text', (column) => column.notNull())
    .addColumn('source', 'text')
    .addColumn('folder', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('issue_code', ['repository_id', 'code'])
    .execute()
  const indices = {
    issue_fingerprint: ['fingerprint'],
    issue_file: ['repository_id', 'file'],
    issue_of_repository: ['repository_id', 'status', 'severity', 'rank', 'id'],
    issue_of_task: ['task_id', 'status', 'severity', 'rank', 'id'],
    // A new issue has the highest id: its row is added at the end of this wide index, and no page is read for it.
    issue_facets: [
      'repository_id',
      'id',
      'status',
      'severity',
      'rule',
      'tools',
      'source',
      'folder',
      'created_at',
      'code',
    ],
  }
  for (const [name, columns] of Object.entries(indices))
    await schema.createIndex(name).on('issue').columns(columns).execute()
}

async function createFindingTables(schema: SchemaModule): Promise<void> {
  // No reference to the issue here, for the same reason.
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
    .addColumn('status', 'text', (column) => column.notNull())
    .execute()
  const indices = {
    session_of_repository: ['repository_id', 'id'],
    session_status: ['repository_id', 'status', 'id'],
    session_open: ['status', 'id'],
  }
  for (const [name, columns] of Object.entries(indices))
    await schema.createIndex(name).on('session').columns(columns).execute()
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
  await schema
    .createTable('session_note')
    .addColumn('session_id', 'text', (column) => column.notNull().references('session.id'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('session_note_key', ['session_id', 'number'])
    .execute()
}

async function createAttemptTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('attempt')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('session.id'))
    .addColumn('issue_id', 'text', (column) => column.notNull().references('issue.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('asks', 'text')
    .addColumn('lease_number', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_owner', 'text')
    .addColumn('lease', 'text')
    .execute()
  await schema.createIndex('attempt_of_session').on('attempt').columns(['session_id', 'position']).execute()
  await schema.createIndex('attempt_of_issue').on('attempt').columns(['issue_id', 'id']).execute()
  await schema.createIndex('attempt_asks').on('attempt').columns(['asks', 'session_id']).execute()
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
}

/** The processes that are alive, and the services, limits and chores that they share. */
async function createProcessTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('process_lease')
    .addColumn('process', 'text', (column) => column.primaryKey())
    .addColumn('renewed_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createTable('worker')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute()
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

/** The deliveries of forges, each counted once, and the newest votes on each pull request. */
async function createForgeTables(schema: SchemaModule): Promise<void> {
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
  await schema
    .createTable('pull_vote')
    .addColumn('repository_id', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('pull_vote_key', ['repository_id', 'number'])
    .execute()
}

/** The people who may come in, and a record of what they changed. */
async function createPeopleTables(schema: SchemaModule): Promise<void> {
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
