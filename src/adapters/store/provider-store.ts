import { z } from 'zod'
import type { ProviderStore } from '../../loop/ports.ts'
import { parseStored } from './tables/stored-json.ts'
import type { Database } from './tables/tables.ts'

/** A place whose holder was not heard of for so long is free. */
const silentMs = 20_000

const Pause = z.object({
  untilMs: z.number(),
  kind: z.enum(['rate_limited', 'overloaded']),
  reason: z.string(),
})

export const providerStore = (db: Database): ProviderStore => ({
  enter: (provider, most, holder) => enter(db, { provider, most, holder }),
  async stay(provider, place, holder) {
    await db.query
      .updateTable('provider_place')
      .set({ seen_at: db.now() })
      .where('provider', '=', provider)
      .where('place', '=', place)
      .where('holder', '=', holder)
      .execute()
  },
  async leave(provider, place, holder) {
    await db.query
      .deleteFrom('provider_place')
      .where('provider', '=', provider)
      .where('place', '=', place)
      .where('holder', '=', holder)
      .execute()
  },
  async pause(provider, pause) {
    const values = { until_ms: pause.untilMs, data: JSON.stringify(pause) }
    await db.query
      .insertInto('provider_pause')
      .values({ provider, ...values })
      .onConflict((conflict) =>
        conflict.column('provider').doUpdateSet(values).where('provider_pause.until_ms', '<', pause.untilMs),
      )
      .execute()
  },
  async paused(provider) {
    const row = await db.query
      .selectFrom('provider_pause')
      .select('data')
      .where('provider', '=', provider)
      .where('until_ms', '>', db.now())
      .executeTakeFirst()
    return row ? parseStored(Pause, row.data) : null
  },
})

interface Entering {
  readonly provider: string
  readonly most: number
  readonly holder: string
}

/** Tries the places in turn: the primary key lets only one holder have each. */
async function enter(db: Database, { provider, most, holder }: Entering): Promise<number | null> {
  await db.query
    .deleteFrom('provider_place')
    .where('provider', '=', provider)
    .where('seen_at', '<', db.now() - silentMs)
    .execute()
  const rows = await db.query
    .selectFrom('provider_place')
    .select('place')
    .where('provider', '=', provider)
    .execute()
  const taken = new Set(rows.map(({ place }) => Number(place)))
  for (let place = 1; place <= most; place += 1) {
    if (taken.has(place)) continue
    const made = await db.query
      .insertInto('provider_place')
      .values({ provider, place, holder, seen_at: db.now() })
      .onConflict((conflict) => conflict.columns(['provider', 'place']).doNothing())
      .executeTakeFirst()
    if (Number(made.numInsertedOrUpdatedRows) > 0) return place
  }
  return null
}
