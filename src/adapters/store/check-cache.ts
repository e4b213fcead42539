import type { CheckCache } from '../../loop/ports.ts'
import { CommandRun } from '../../model/proof/verification.ts'
import { parseStored } from './tables/stored-json.ts'
import type { Database } from './tables/tables.ts'

export const checkCache = (db: Database): CheckCache => ({
  get: async (key) => {
    const row = await db.query
      .selectFrom('command_run')
      .select('data')
      .where('key', '=', key)
      .executeTakeFirst()
    return row ? parseStored(CommandRun, row.data) : null
  },
  put: async (key, run) => {
    const values = { created_at: db.now(), data: JSON.stringify(run) }
    await db.query
      .insertInto('command_run')
      .values({ key, ...values })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(values))
      .execute()
  },
})
