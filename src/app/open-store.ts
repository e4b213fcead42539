import { join } from 'node:path'
import { openSqliteStore, type SqliteStore } from '../adapters/store/index.ts'
import { clock } from './machine.ts'
import { redactStore } from './redact/redact-exits.ts'

/** The database of a home; whatever is written through it holds no secret. */
export const openStore = async (home: string): Promise<SqliteStore> =>
  redactStore(await openSqliteStore({ file: join(home, 'fixpoint.db'), now: clock.now }))
