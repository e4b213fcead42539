import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** Columns that lists are filtered, sorted and counted by, and what waits for a person; filled for the rows there are. */
export async function addLookups(db: Kysely<Tables>): Promise<void> {
  const { schema } = db
  await schema.alterTable('issue').addColumn('rule', 'text').execute()
  await schema
    .alterTable('issue')
    .addColumn('tools', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await schema.alterTable('issue').addColumn('source', 'text').execute()
  await schema.alterTable('issue').addColumn('folder', 'text').execute()
  await schema
    .alterTable('issue')
    .addColumn('created_at', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await schema
    .alterTable('session')
    .addColumn('status', 'text', (column) => column.notNull().defaultTo('completed'))
    .execute()
  await schema.alterTable('attempt').addColumn('asks', 'text').execute()
  await fillIssues(db)
  await fillSessions(db)
  await fillAttempts(db)
  await schema
    .createIndex('issue_facets')
    .on('issue')
    .columns([
      'repository_id',
      'status',
      'severity',
      'rule',
      'tools',
      'source',
      'folder',
      'created_at',
      'code',
    ])
    .execute()
  await schema
    .createIndex('session_status')
    .on('session')
    .columns(['repository_id', 'status', 'id'])
    .execute()
  await schema.createIndex('attempt_asks').on('attempt').columns(['asks', 'session_id']).execute()
}

const perTurn = 1_000

/** The rows of a table, some at a time, in the order of their ids. */
async function* rowsOf(db: Kysely<Tables>, table: 'issue' | 'session' | 'attempt') {
  let after = ''
  for (;;) {
    const rows = await db
      .selectFrom(table)
      .select(['id', 'data'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(perTurn)
      .execute()
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < perTurn) return
    after = last.id
  }
}

/** As far as these columns read what is stored, in the words of the version that stored it. */
interface StoredIssue {
  readonly rule?: string | null
  readonly flagged_by?: readonly string[]
  readonly created_at?: string
  readonly source?: { readonly kind?: string }
}

async function fillIssues(db: Kysely<Tables>): Promise<void> {
  for await (const { id, data } of rowsOf(db, 'issue')) {
    const row = await db
      .selectFrom('issue')
      .select(['lead', 'file'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const lead = JSON.parse(row.lead ?? '{}') as StoredIssue
    const said = JSON.parse(data) as StoredIssue
    const at = row.file?.lastIndexOf('/') ?? -1
    await db
      .updateTable('issue')
      .set({
        rule: said.rule === undefined ? (lead.rule ?? null) : said.rule,
        tools: (said.flagged_by ?? []).map((name) => `\n${name}`).join('') + '\n',
        source: lead.source?.kind ?? null,
        folder: row.file === null ? null : row.file.slice(0, Math.max(0, at)),
        created_at: said.created_at ?? lead.created_at ?? '',
      })
      .where('id', '=', id)
      .execute()
  }
}

async function fillSessions(db: Kysely<Tables>): Promise<void> {
  for await (const { id, data } of rowsOf(db, 'session')) {
    const { status } = JSON.parse(data) as Pick<Tables['session'], 'status'>
    await db.updateTable('session').set({ status }).where('id', '=', id).execute()
  }
}

async function fillAttempts(db: Kysely<Tables>): Promise<void> {
  for await (const { id, data } of rowsOf(db, 'attempt')) {
    const { stage, outcome } = JSON.parse(data) as { readonly stage?: string; readonly outcome?: string }
    const asks = stage === 'held' ? 'held' : stage === 'settled' && outcome === 'disputed' ? 'dispute' : null
    if (asks) await db.updateTable('attempt').set({ asks }).where('id', '=', id).execute()
  }
}
