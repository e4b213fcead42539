import type { Kysely } from 'kysely'
import type { LeaseOffer, LeaseStore, StoredSession } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { Attempt } from '../../../model/attempt/attempt.ts'
import { AttemptId, SessionId } from '../../../model/id.ts'
import { AttemptLease, type HeldLease, type StoredLease } from '../../../model/session/attempt-lease.ts'
import { isOver, Session } from '../../../model/session/session.ts'
import { parseStored, readStored } from '../tables/stored-json.ts'
import type { Database, TableRow, Tables } from '../tables/tables.ts'
import { refuseStranger } from './record-change.ts'
import { readAttempts } from './session-rows.ts'

export const leaseStore = (db: Database): LeaseStore => ({
  offer: (offer) => offerLease(db, offer),
  take: (held, owner) => takeLease(db, held, owner),
  async ofSession(sessionId) {
    const rows = await leases(db.query).where('session_id', '=', sessionId).execute()
    return rows.map(leaseOf)
  },
  async read(attemptId) {
    const row = await leases(db.query).where('id', '=', attemptId).executeTakeFirst()
    return row ? leaseOf(row) : null
  },
  attempt: (attemptId) => readStored(db.query, { table: 'attempt', schema: Attempt }, attemptId),
  change: (held, edit) =>
    db.query.transaction().execute(async (transaction) => {
      await db.lockRepository(transaction, { session: held.sessionId })
      const row = await leases(transaction).where('id', '=', held.attemptId).executeTakeFirst()
      if (!row || row.lease_number !== held.number) return false
      await put(transaction, held.attemptId, { lease: JSON.stringify(edit(leaseOf(row).lease)) })
      return true
    }),
})

const columns = ['id', 'lease_number', 'lease_owner', 'lease'] as const

/** Those attempts that are given out, or were until their driver has looked at them again. */
const leases = (query: Kysely<Tables>) =>
  query.selectFrom('attempt').select(columns).where('lease', 'is not', null)

const leaseOf = (row: Pick<TableRow<'attempt'>, (typeof columns)[number]>): StoredLease => ({
  attemptId: AttemptId.parse(row.id),
  number: row.lease_number,
  owner: row.lease_owner,
  lease: parseStored(AttemptLease, row.lease ?? ''),
})

type LeaseColumns = Partial<Pick<TableRow<'attempt'>, 'lease_number' | 'lease_owner' | 'lease'>>

async function put(transaction: Kysely<Tables>, id: AttemptId, set: LeaseColumns): Promise<void> {
  await transaction.updateTable('attempt').set(set).where('id', '=', id).execute()
}

/** Gives an attempt out, whoever had it before. */
const offerLease = (db: Database, { sessionId, attemptId, owner, lease }: LeaseOffer): Promise<HeldLease> =>
  db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, { session: sessionId })
    const session = await transaction
      .selectFrom('session')
      .select('owner')
      .where('id', '=', sessionId)
      .executeTakeFirst()
    refuseStranger(sessionId, session?.owner ?? null, owner)
    const row = await transaction
      .selectFrom('attempt')
      .select('lease_number')
      .where('id', '=', attemptId)
      .where('session_id', '=', sessionId)
      .executeTakeFirst()
    if (!row) throw new Fault('not_found', `There is no attempt ${attemptId} in ${sessionId}`)
    const number = row.lease_number + 1
    await put(transaction, attemptId, {
      lease_number: number,
      lease_owner: null,
      lease: JSON.stringify(lease),
    })
    return { sessionId, attemptId, number }
  })

/** Only one of all who know the same number gets it. */
const takeLease = (
  db: Database,
  { sessionId, attemptId, number }: HeldLease,
  owner: string,
): Promise<(StoredSession & { readonly held: HeldLease }) | null> =>
  db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, { session: sessionId })
    const row = await leases(transaction).where('id', '=', attemptId).executeTakeFirst()
    if (!row || row.lease_number !== number || leaseOf(row).lease.ended) return null
    const session = await readStored(transaction, { table: 'session', schema: Session }, sessionId)
    if (!session || isOver(session)) return null
    await put(transaction, attemptId, { lease_number: number + 1, lease_owner: owner })
    const held = { sessionId: SessionId.parse(sessionId), attemptId, number: number + 1 }
    return { session, attempts: await readAttempts(transaction, sessionId), held }
  })
