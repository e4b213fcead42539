import type { CompiledQuery } from 'kysely'
import type { Tables } from './tables.ts'

const quiet: ReadonlySet<string> = new Set<keyof Tables>([
  'worker',
  'process_lease',
  'provider_place',
  'chore',
])

/** Whether a query only says that a process lives, which each does every few seconds: it changes nothing that anybody keeps or shows. */
export const isSignOfLife = (query: CompiledQuery['query']): boolean =>
  query.kind === 'InsertQueryNode' &&
  query.into?.kind === 'TableNode' &&
  quiet.has(query.into.table.identifier.name)
