import type { DeliveryStore, HookDelivery, NewDelivery } from '../../../loop/ports.ts'
import { SessionId } from '../../../model/id.ts'
import { HookCall } from '../../../model/forge/webhook.ts'
import { z } from 'zod'
import { parseStored } from '../tables/stored-json.ts'
import type { Database, TableRow } from '../tables/tables.ts'

const Progress = z.object({ tries: z.number().int(), session_id: SessionId.nullable() })
const Data = Progress.extend({ job: HookCall })

const keptMs = 7 * 24 * 60 * 60_000
const mostRead = 200

export const deliveryStore = (db: Database): DeliveryStore => ({
  keep: (delivery) => keep(db, delivery),
  async open() {
    const rows = await db.query
      .selectFrom('hook_delivery')
      .selectAll()
      .where('state', '=', 'open')
      .orderBy('received_at')
      .limit(mostRead)
      .execute()
    return rows.map(readDelivery)
  },
  async take(id, expectedOwner, owner) {
    const taken = await db.query
      .updateTable('hook_delivery')
      .set({ owner })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .where('owner', expectedOwner === null ? 'is' : '=', expectedOwner)
      .returning('id')
      .executeTakeFirst()
    return taken !== undefined
  },
  async note({ id, job, tries, sessionId, isDone, owner }) {
    const data = JSON.stringify({ job, tries, session_id: sessionId } satisfies z.infer<typeof Data>)
    await db.query
      .updateTable('hook_delivery')
      .set({ data, owner, state: isDone ? 'done' : 'open' })
      .where('id', '=', id)
      .execute()
  },
  async sessionsAt(place) {
    const rows = await db.query
      .selectFrom('hook_delivery')
      .selectAll()
      .where('place', '=', place)
      .orderBy('received_at', 'desc')
      .limit(mostRead)
      .execute()
    return rows.map(readDelivery).flatMap(({ sessionId }) => sessionId ?? [])
  },
})

function readDelivery({ id, owner, data }: TableRow<'hook_delivery'>): HookDelivery {
  const { job, tries, session_id: sessionId } = parseStored(Data, data)
  return { id, owner, job, tries, sessionId }
}

/** What was done long ago is forgotten as new things come. */
async function keep(db: Database, { id, subject, place, job }: NewDelivery): Promise<boolean> {
  await db.query
    .deleteFrom('hook_delivery')
    .where('state', '=', 'done')
    .where('received_at', '<', db.now() - keptMs)
    .execute()
  const data = JSON.stringify({ job, tries: 0, session_id: null } satisfies z.infer<typeof Data>)
  const row = { id, subject, place, state: 'open' as const, owner: null, received_at: db.now(), data }
  const kept = await db.query
    .insertInto('hook_delivery')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return kept !== undefined
}
