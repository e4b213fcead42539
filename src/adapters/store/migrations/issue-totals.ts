import { PostgresAdapter, sql, type Kysely } from 'kysely'

/**
 * How many issues of each status and severity a repository has. Counting a million rows takes longer than a page may, so
 * the database itself keeps the numbers, in the transaction of each change. Only what is inserted into SQLite is counted by
 * the store (`sqlite/count-issues.ts`): a trigger for each row makes SQLite prepare every insert for its own failure, which
 * costs as much as the insert.
 */
export async function keepIssueTotals(query: Kysely<unknown>): Promise<void> {
  await query.schema
    .createTable('issue_total')
    .addColumn('repository_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('severity', 'text', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('issue_total_key', ['repository_id', 'status', 'severity'])
    .execute()
  const isPostgres = query.getExecutor().adapter instanceof PostgresAdapter
  for (const statement of isPostgres ? inPostgres : inSqlite) await sql.raw(statement).execute(query)
}

const add = (row: 'new' | 'old', change: 1 | -1): string =>
  `insert into issue_total (repository_id, status, severity, count)
   values (${row}.repository_id, ${row}.status, ${row}.severity, ${change})
   on conflict (repository_id, status, severity) do update set count = count + ${change};`

const inSqlite: readonly string[] = [
  `create trigger issue_total_removed after delete on issue begin ${add('old', -1)} end`,
  `create trigger issue_total_changed after update of repository_id, status, severity on issue
   when old.status <> new.status or old.severity <> new.severity or old.repository_id <> new.repository_id
   begin ${add('old', -1)} ${add('new', 1)} end`,
]

/** Once for each statement: an import writes thousands of rows with one. */
const sums = (rows: string): string =>
  `insert into issue_total (repository_id, status, severity, count)
   select repository_id, status, severity, sum(change) from (${rows}) as changes
   group by repository_id, status, severity having sum(change) <> 0
   order by repository_id, status, severity
   on conflict (repository_id, status, severity) do update set count = issue_total.count + excluded.count;
   return null;`

const rowsOf = (table: 'added' | 'removed', change: 1 | -1): string =>
  `select repository_id, status, severity, ${change} as change from ${table}`

const keeper = (name: string, rows: string): string =>
  `create or replace function ${name}() returns trigger language plpgsql as $$ begin ${sums(rows)} end $$`

const inPostgres: readonly string[] = [
  keeper('issue_total_added', rowsOf('added', 1)),
  keeper('issue_total_removed', rowsOf('removed', -1)),
  keeper('issue_total_changed', `${rowsOf('added', 1)} union all ${rowsOf('removed', -1)}`),
  `create trigger issue_total_added after insert on issue
   referencing new table as added for each statement execute function issue_total_added()`,
  `create trigger issue_total_removed after delete on issue
   referencing old table as removed for each statement execute function issue_total_removed()`,
  `create trigger issue_total_changed after update on issue
   referencing old table as removed new table as added for each statement execute function issue_total_changed()`,
]
