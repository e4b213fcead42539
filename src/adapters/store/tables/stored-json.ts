import type { z } from 'zod'
import { Fault } from '../../../model/fault.ts'

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
