import { sql, type Kysely } from 'kysely'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { copySqliteFile, withSqlite } from '../open-sqlite-store.ts'
import { countAllIssues } from '../sqlite/count-issues.ts'
import type { Tables } from '../tables/tables.ts'
import { withPostgres } from './open-postgres-store.ts'

/** The tables with what makes a row of each the same one, in an order in which every row finds what it refers to. */
const copied = {
  repository: ['id'],
  repository_trust: ['repository_id', 'item'],
  review: ['id'],
  review_order: ['id'],
  review_event: ['review_id', 'seq'],
  issue: ['id'],
  finding: ['issue_id', 'id'],
  issue_move: ['issue_id', 'number'],
  code_counter: ['repository_id', 'class'],
  session: ['id'],
  session_request: ['key'],
  session_cancel: ['session_id'],
  attempt: ['id'],
  event: ['session_id', 'seq'],
  hook_delivery: ['id'],
  access_token: ['id'],
  audit: ['id'],
  pull_vote: ['repository_id', 'number'],
  command_run: ['key'],
} as const satisfies Readonly<
  Record<
    Exclude<
      keyof Tables,
      | 'kysely_migration'
      | 'process_lease'
      | 'session_note'
      | 'worker'
      | 'chore'
      | 'issue_total'
      | 'provider_place'
      | 'provider_pause'
    >,
    readonly string[]
  >
>

type OnTable = (table: string, rows: number) => void

export interface CopyRequest {
  readonly file: string
  readonly url: string
  readonly onTable: OnTable
}

/**
 * Copies a whole database file into PostgreSQL, with every id and number as it is. Existing rows stay, so that a second
 * copy finishes one that was interrupted; where one of them is another by now, nothing is copied. Returns how many rows
 * each table of the file has.
 */
export async function copySqliteToPostgres({ file, url, onTable }: CopyRequest): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-copy-'))
  try {
    // Others may go on writing to the file: this is what it holds at one moment, with its tables up to date.
    const snapshot = join(folder, 'fixpoint.db')
    copySqliteFile(file, snapshot)
    return await withSqlite(snapshot, (from) =>
      withPostgres(url, async ({ query }) => {
        await requireSame(from as unknown as AnyTable, query as unknown as AnyTable)
        return copyTables(from, query, onTable)
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Copies everything into a new database file. */
export const copyPostgresToSqlite = ({ url, file, onTable }: CopyRequest): Promise<Counts> =>
  withPostgres(url, ({ query }) =>
    withSqlite(file, async (to) => {
      const counts = await copyTables(query, to, onTable)
      await countAllIssues(to)
      return counts
    }),
  )

export type Counts = Readonly<Record<string, number>>

type CopiedTable = keyof typeof copied
type Row = Record<string, string | number | null>
type AnyTable = Kysely<Record<string, Row>>

const rowsAtOnce = 500

/**
 * What an earlier copy has brought must be what the file still holds. Else the file or the database has been worked with
 * since, and the missing rows would make one database of two states: a session as it was then with the events of today.
 */
async function requireSame(from: AnyTable, to: AnyTable): Promise<void> {
  for (const table of Object.keys(copied) as CopiedTable[])
    for await (const rows of pagesOf(to, table)) {
      const own = new Map((await sameKeys(from, table, rows)).map((row) => [keyOf(table, row), row]))
      const changed = rows.find((row) => {
        const known = own.get(keyOf(table, row))
        return known !== undefined && textOf(known) !== textOf(row)
      })
      if (changed === undefined) continue
      const key = copied[table].map((name) => changed[name]).join(' ')
      throw new Fault(
        'input_invalid',
        `The database holds another version of ${table} ${key} than the file`,
        {
          hint: 'One of them has changed since an earlier copy. Copy into an empty database: this one stays as it is.',
        },
      )
    }
}

const sameKeys = (from: AnyTable, table: CopiedTable, rows: readonly Row[]): Promise<readonly Row[]> => {
  const keys = copied[table]
  const wanted = rows.map((row) => sql`(${sql.join(keys.map((name) => sql.val(row[name])))})`)
  const key = sql.join(keys.map((name) => sql.ref(name)))
  return from
    .selectFrom(table)
    .selectAll()
    .where(sql<boolean>`(${key}) in (values ${sql.join(wanted)})`)
    .execute()
}

const keyOf = (table: CopiedTable, row: Row): string =>
  JSON.stringify(copied[table].map((name) => String(row[name])))

/** The two databases need not give the columns in the same order. */
const textOf = (row: Row): string =>
  JSON.stringify(
    Object.keys(row)
      .toSorted()
      .map((name) => [name, row[name] === null ? null : String(row[name])]),
  )

async function copyTables(from: Kysely<Tables>, to: Kysely<Tables>, onTable: OnTable): Promise<Counts> {
  const counts: Record<string, number> = {}
  for (const table of Object.keys(copied) as CopiedTable[]) {
    let count = 0
    for await (const rows of pagesOf(from as unknown as AnyTable, table)) {
      await insertMissing(to as unknown as AnyTable, table, rows)
      count += rows.length
    }
    counts[table] = count
    onTable(table, count)
  }
  return counts
}

async function* pagesOf(from: AnyTable, table: CopiedTable): AsyncGenerator<readonly Row[]> {
  const keys = copied[table]
  const key = sql.join(keys.map((name) => sql.ref(name)))
  let last: Row | undefined
  for (;;) {
    const after = last && sql.join(keys.map((name) => sql.val(last?.[name])))
    const rows = await from
      .selectFrom(table)
      .selectAll()
      .$if(after !== undefined, (row) => row.where(sql<boolean>`(${key}) > (${after})`))
      .orderBy(key)
      .limit(rowsAtOnce)
      .execute()
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)
  }
}

async function insertMissing(to: AnyTable, table: CopiedTable, rows: readonly Row[]): Promise<void> {
  try {
    await to
      .insertInto(table)
      .values([...rows])
      // Only the same row counts as there: another one with the same code or key must not be taken for it.
      .onConflict((conflict) => conflict.columns([...copied[table]]).doNothing())
      .execute()
  } catch (error) {
    if (!(error instanceof Fault) || !isDoubled(error.cause)) throw error
    throw new Fault(
      'input_invalid',
      `The database holds other rows in the table ${table} already: ${error.message}`,
      {
        cause: error,
        hint: 'Copy into an empty database, or into one that an earlier copy of the same file was begun in.',
      },
    )
  }
}

/** PostgreSQL's code for a row that would be the second with a value that only one may have. */
const isDoubled = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505'
