import { sql, type Kysely } from 'kysely'
import { SessionNote } from '../../../model/session/note.ts'
import { Attempt } from '../../../model/attempt/attempt.ts'
import { FixEvent, type NewEvent } from '../../../model/session/event.ts'
import type { SessionId } from '../../../model/id.ts'
import type { Session } from '../../../model/session/session.ts'
import { parseStored } from '../tables/stored-json.ts'
import type { Database, TableRow, Tables } from '../tables/tables.ts'

export const sessionColumns = (session: Session) => ({
  id: session.id,
  repository_id: session.repository_id,
  owner: session.owner,
  data: JSON.stringify(session),
  status: session.status,
})

interface AttemptWrite {
  readonly attempts: readonly Attempt[]
  /** A driver that writes to an attempt has it again, whoever it was given to. */
  readonly lease: 'taken_back' | 'kept'
}

/** Stores attempts as they are now, whether they are new or known. */
export async function putAttempts(
  db: Database,
  transaction: Kysely<Tables>,
  { attempts, lease }: AttemptWrite,
): Promise<void> {
  const [first] = attempts
  if (!first) return
  const put = transaction
    .insertInto('attempt')
    .values(attemptRow(first))
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((is) => ({
        position: is.ref('excluded.position'),
        data: is.ref('excluded.data'),
        asks: is.ref('excluded.asks'),
        // As literals: the parameters of the statement are those of the row.
        ...(lease === 'taken_back' && {
          lease_number: sql<number>`${is.ref('attempt.lease_number')} + 1`,
          lease_owner: sql<null>`null`,
          lease: sql<null>`null`,
        }),
      })),
    )
    .compile()
  await db.executeMany(
    transaction,
    put,
    attempts.map((attempt) => Object.values(attemptRow(attempt))),
  )
}

const attemptRow = (attempt: Attempt): Omit<TableRow<'attempt'>, `lease${string}`> => ({
  id: attempt.id,
  session_id: attempt.session_id,
  issue_id: attempt.issue_id,
  position: attempt.position,
  data: JSON.stringify(attempt),
  asks: asksOf(attempt),
})

function asksOf(attempt: Attempt): TableRow<'attempt'>['asks'] {
  if (attempt.stage === 'held') return 'held'
  return attempt.stage === 'settled' && attempt.outcome === 'disputed' ? 'dispute' : null
}

/** Stores events in their places after `lastSeq`. */
export async function appendEvents(
  db: Database,
  transaction: Kysely<Tables>,
  { sessionId, lastSeq, events }: { sessionId: SessionId; lastSeq: number; events: readonly NewEvent[] },
): Promise<readonly FixEvent[]> {
  const placed = events.map((event, index) => ({ ...event, seq: lastSeq + index + 1 }))
  const [first] = placed
  if (!first) return []
  const row = (event: (typeof placed)[number]): TableRow<'event'> => ({
    session_id: sessionId,
    seq: event.seq,
    issue_id: event.issue_id,
    data: JSON.stringify(event),
  })
  const insert = transaction.insertInto('event').values(row(first)).compile()
  await db.executeMany(
    transaction,
    insert,
    placed.map((event) => Object.values(row(event))),
  )
  return placed
}

export async function readAttempts(query: Kysely<Tables>, id: SessionId): Promise<readonly Attempt[]> {
  const rows = await query
    .selectFrom('attempt')
    .select('data')
    .where('session_id', '=', id)
    .orderBy('position')
    .orderBy('id')
    .execute()
  return rows.map((row) => parseStored(Attempt, row.data))
}

export async function readEvents(
  query: Kysely<Tables>,
  id: SessionId,
  { afterSeq, limit }: { readonly afterSeq: number; readonly limit?: number | undefined },
): Promise<readonly FixEvent[]> {
  const rows = await query
    .selectFrom('event')
    .select('data')
    .where('session_id', '=', id)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .$if(limit !== undefined, (event) => event.limit(limit ?? 0))
    .execute()
  return rows.map((row) => parseStored(FixEvent, row.data))
}

/** Keeps a note until whoever drives the session takes it. */
export const leaveNote = (db: Database, id: SessionId, note: SessionNote): Promise<void> =>
  db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, { session: id })
    const last = await transaction
      .selectFrom('session_note')
      .select((is) => is.fn.max('number').as('number'))
      .where('session_id', '=', id)
      .executeTakeFirst()
    const number = (last?.number ?? 0) + 1
    await transaction
      .insertInto('session_note')
      .values({ session_id: id, number, data: JSON.stringify(note) })
      .execute()
  })

/** Gives every note once, in the order in which they were left. */
export async function takeNotes(
  { query }: Pick<Database, 'query'>,
  id: SessionId,
): Promise<readonly SessionNote[]> {
  const left = query.selectFrom('session_note').select('number').where('session_id', '=', id).limit(1)
  // Almost always there is none, and reading keeps no writer waiting.
  if (!(await left.executeTakeFirst())) return []
  const rows = await query.deleteFrom('session_note').where('session_id', '=', id).returningAll().execute()
  return rows.toSorted((a, b) => a.number - b.number).map(({ data }) => parseStored(SessionNote, data))
}
