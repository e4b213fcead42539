import type { Kysely } from 'kysely'
import type { RequestKey } from '../../../loop/ports.ts'
import { SessionId } from '../../../model/id.ts'
import { alreadyRunning, isOver, Session } from '../../../model/session/session.ts'
import { parseStored } from '../tables/stored-json.ts'
import type { Database, Tables } from '../tables/tables.ts'

/** The session that was made for the same request, while that still counts. */
export async function findRequest(
  db: Pick<Database, 'query' | 'now'>,
  { key, lifetimeMs }: RequestKey,
): Promise<SessionId | null> {
  const row = await db.query
    .selectFrom('session_request')
    .select('session_id')
    .where('key', '=', key)
    .where('created_at', '>', db.now() - lifetimeMs)
    .executeTakeFirst()
  return row ? SessionId.parse(row.session_id) : null
}

/** Refuses when the session of the same request is not over yet. */
export async function refuseRunning(
  db: Database,
  transaction: Kysely<Tables>,
  request: RequestKey,
): Promise<void> {
  const id = request.force ? null : await findRequest({ query: transaction, now: db.now }, request)
  if (!id) return
  const row = await transaction.selectFrom('session').select('data').where('id', '=', id).executeTakeFirst()
  if (row && !isOver(parseStored(Session, row.data))) throw alreadyRunning(id)
}

/** From now on this session, which is stored already, is the one of its request. */
export async function rememberRequest(
  db: Database,
  transaction: Kysely<Tables>,
  { key: { key }, session }: { readonly key: RequestKey; readonly session: Session },
): Promise<void> {
  const values = { session_id: session.id, created_at: db.now() }
  await transaction
    .insertInto('session_request')
    .values({ key, ...values })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(values))
    .execute()
}
