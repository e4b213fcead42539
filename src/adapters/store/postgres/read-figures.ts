import { sql, type Kysely } from 'kysely'
import type { Pool } from 'pg'
import type { StoreFigures } from '../store.ts'
import type { Tables } from '../tables/tables.ts'
import { oldestLeaseMs } from './process-leases.ts'

/** Reads running sessions and their attempts only, each through an index. */
export async function readFigures(query: Kysely<Tables>, pool: Pool): Promise<StoreFigures> {
  const drivers = await query.selectFrom('session').select('owner').where('status', '=', 'running').execute()
  const given = await query
    .selectFrom('attempt')
    .innerJoin('session', 'session.id', 'attempt.session_id')
    .select(['lease_owner as owner', sql<number>`(lease::json ->> 'deaths')::integer`.as('deaths')])
    .where('session.status', '=', 'running')
    .where('lease', 'is not', null)
    .where(sql<boolean>`lease::json ->> 'ended' is null`)
    .execute()
  const owners = [...drivers, ...given].flatMap(({ owner }) => (owner === null ? [] : [owner]))
  return {
    oldestLeaseMs: await oldestLeaseMs(query, owners),
    deaths: given.reduce((sum, { deaths }) => sum + deaths, 0),
    pool: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
  }
}
