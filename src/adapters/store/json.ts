import type { z } from 'zod'
import { Fault } from '../../model/fault.ts'

/** What a JSON column holds: SQLite gives its text, PostgreSQL the parsed value. */
export const readJson = (stored: unknown): unknown =>
  typeof stored === 'string' ? JSON.parse(stored) : stored

/** Reads a stored noun and holds it to its schema. */
export function parseStored<Schema extends z.ZodType>(schema: Schema, stored: unknown): z.infer<Schema> {
  const value = readJson(stored)
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
