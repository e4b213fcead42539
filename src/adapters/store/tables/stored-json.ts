import type { Kysely } from 'kysely'
import type { z } from 'zod'
import { Fault } from '../../../model/fault.ts'
import type { RepositoryId } from '../../../model/id.ts'
import type { Database, Tables } from './tables.ts'

type TableOfNouns = 'review' | 'session' | 'attempt' | 'access_token' | 'audit'

/** Reads the JSON of a column and holds it to the schema of its noun. */
export const parseStored = <Schema extends z.ZodType>(schema: Schema, json: string): z.infer<Schema> =>
  parseRow(schema, JSON.parse(json))

/** Holds what a row says to the schema of its noun. */
export function parseRow<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const id = typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : 'unknown'
  const [problem] = parsed.error.issues
  throw new Fault(
    'store_failed',
    `The stored row ${id} cannot be read: ${problem?.path.join('.') ?? ''}: ${problem?.message ?? ''}`,
    {
      cause: parsed.error,
      hint: 'Restore the database from a backup, or run this with the version that wrote it.',
    },
  )
}

/** The noun of one row, or null when there is none. */
export async function readStored<Schema extends z.ZodType>(
  query: Kysely<Tables>,
  { table, schema }: { readonly table: TableOfNouns; readonly schema: Schema },
  id: string,
): Promise<z.infer<Schema> | null> {
  const row = await query.selectFrom(table).select('data').where('id', '=', id).executeTakeFirst()
  return row ? parseStored(schema, row.data) : null
}

/** The newest nouns of a repository, the newest first. */
export async function readNewest<Schema extends z.ZodType>(
  { query }: Pick<Database, 'query'>,
  { table, schema }: { readonly table: 'review' | 'session'; readonly schema: Schema },
  { repositoryId, limit }: { readonly repositoryId: RepositoryId; readonly limit: number },
): Promise<readonly z.infer<Schema>[]> {
  const rows = await query
    .selectFrom(table)
    .select('data')
    .where('repository_id', '=', repositoryId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => parseStored(schema, row.data))
}
