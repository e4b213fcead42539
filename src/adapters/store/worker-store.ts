import type { WorkerStore } from '../../loop/ports.ts'
import { Worker } from '../../model/worker.ts'
import { parseStored } from './tables/stored-json.ts'
import type { Database } from './tables/tables.ts'

/** A worker that was not heard of for so long is forgotten. */
const forgottenMs = 60 * 60_000

export const workerStore = (db: Database): WorkerStore => ({
  claim: (chore, everyMs) => claim(db, chore, everyMs),
  async put(worker) {
    const values = { seen_at: db.now(), data: JSON.stringify(worker) }
    await db.query
      .insertInto('worker')
      .values({ id: worker.id, ...values })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute()
  },
  async remove(id) {
    await db.query
      .deleteFrom('worker')
      .where((is) => is.or([is('id', '=', id), is('seen_at', '<', db.now() - forgottenMs)]))
      .execute()
  },
  async list() {
    const rows = await db.query.selectFrom('worker').selectAll().orderBy('id').execute()
    return rows.map(({ data, seen_at }) => ({
      worker: parseStored(Worker, data),
      silentMs: Math.max(0, db.now() - Number(seen_at)),
    }))
  },
})

/** The row is changed by one process only; a time from a clock that runs ahead counts for nothing. */
async function claim(db: Database, chore: string, everyMs: number): Promise<boolean> {
  const now = db.now()
  const values = { name: chore, done_at: now }
  const claimed = await db.query
    .insertInto('chore')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ done_at: now })
        .where((is) =>
          is.or([is('chore.done_at', '<=', now - everyMs), is('chore.done_at', '>', now + everyMs)]),
        ),
    )
    .executeTakeFirst()
  return Number(claimed.numInsertedOrUpdatedRows) > 0
}
