import { sql, type Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** A process whose lease was not renewed for so long is taken for dead, on whichever machine it ran. */
const leaseMs = 9_000
const renewMs = 2_000
const lookMs = 1_000
const tellingMs = 500

export interface ProcessLeases {
  /** From now on this process says that it is alive, because it owns sessions. */
  hold(owner: string): Promise<void>
  /** Whether the process of an owner has lately said that it is alive. */
  isHeld(owner: string): boolean
  /** Reads who is alive. */
  look(): Promise<void>
  /** How far the clock of the database is ahead of this machine's. */
  aheadMs(): number
  /** Reads who is alive, and goes on doing so. */
  open(): Promise<void>
  close(): Promise<void>
}

/**
 * Which processes are alive, by the clock of the database. A process whose lease ran out and whose sessions were taken
 * over cannot write to them when it comes back: every write names its owner.
 */
export function createProcessLeases(query: Kysely<Tables>): ProcessLeases {
  const own = new Set<string>()
  let aheadMs = 0
  let alive: ReadonlySet<string> = new Set()
  const timers: NodeJS.Timeout[] = []

  const renew = async (): Promise<void> => {
    if (own.size === 0) return
    const rows = [...own].map((process) => ({ process, renewed_at: databaseNow }))
    await query
      .insertInto('process_lease')
      .values(rows)
      .onConflict((conflict) => conflict.column('process').doUpdateSet({ renewed_at: databaseNow }))
      .execute()
  }
  const look = async (): Promise<void> => {
    const seen = await readAlive(query)
    alive = seen.alive
    if (seen.aheadMs !== null) aheadMs = seen.aheadMs
  }
  // A database that cannot be reached now is asked again; meanwhile nobody new is taken for dead.
  const repeat = (work: () => Promise<void>, everyMs: number): void =>
    void timers.push(setInterval(() => void work().catch(() => undefined), everyMs).unref())

  return {
    async hold(owner) {
      const process = processOf(owner)
      if (own.has(process)) return
      own.add(process)
      await renew()
      if (own.size === 1) repeat(renew, renewMs)
    },
    look,
    aheadMs: () => aheadMs,
    isHeld: (owner) => own.has(processOf(owner)) || alive.has(processOf(owner)),
    async open() {
      await look()
      repeat(look, lookMs)
    },
    async close() {
      for (const timer of timers) clearInterval(timer)
      if (own.size === 0) return
      const rows = query.deleteFrom('process_lease').where('process', 'in', [...own])
      await rows.execute().catch(() => undefined)
    },
  }
}

/** Who is alive, and how far the database's clock is ahead; an answer that took long says little about the time. */
async function readAlive(
  query: Kysely<Tables>,
): Promise<{ readonly alive: ReadonlySet<string>; readonly aheadMs: number | null }> {
  const askedAt = Date.now()
  const { rows } = await sql<{ now: string; alive: readonly string[] | null }>`
    select ${databaseNow} as now, (
      select json_agg(process) from process_lease where renewed_at > ${databaseNow} - ${sql.lit(leaseMs)}
    ) as alive`.execute(query)
  const answeredAt = Date.now()
  const isTelling = answeredAt - askedAt < tellingMs
  return {
    alive: new Set(rows[0]?.alive ?? []),
    aheadMs: isTelling ? Number(rows[0]?.now) - (askedAt + answeredAt) / 2 : null,
  }
}

/** How long ago the most silent process of these owners renewed its lease; 0 when none of them holds one. */
export async function oldestLeaseMs(query: Kysely<Tables>, owners: readonly string[]): Promise<number> {
  const processes = [...new Set(owners.map(processOf))]
  if (processes.length === 0) return 0
  const row = await query
    .selectFrom('process_lease')
    .select((is) => sql<string | null>`${databaseNow} - ${is.fn.min('renewed_at')}`.as('age'))
    .where('process', 'in', processes)
    .executeTakeFirst()
  return Math.max(0, Number(row?.age ?? 0))
}

/** An owner names its process between its home and a number of its own; see `createRunMark`. */
const processOf = (owner: string): string => owner.split(':').slice(1, -1).join(':') || owner

const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
