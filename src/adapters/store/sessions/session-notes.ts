import type { SessionId } from '../../../model/id.ts'
import { SessionNote } from '../../../model/session/note.ts'
import { parseStored } from '../tables/stored-json.ts'
import type { Database } from '../tables/tables.ts'

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
