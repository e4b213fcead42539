import type { NewSession, SessionStore, StoredSession, RequestKey, TakeTerms } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { SessionId } from '../../../model/id.ts'
import { moveIssue, type Issue } from '../../../model/issue/issue.ts'
import type { FixEvent } from '../../../model/session/event.ts'
import {
  advanceSession,
  alreadyRunning,
  isOver,
  progressOf,
  Session,
} from '../../../model/session/session.ts'
import { refuseHeld, unknownIssue } from '../issues/edit-issue.ts'
import { readIssuesToChange, updateIssues } from '../issues/issue-rows.ts'
import { readNewest, readStored } from '../tables/stored-json.ts'
import type { Database, Tables } from '../tables/tables.ts'
import { recordChange, refuseStranger } from './record-change.ts'
import { readAsking, readHeads } from './session-heads.ts'
import {
  appendEvents,
  leaveNote,
  putAttempts,
  readAttempts,
  readEvents,
  sessionColumns,
  takeNotes,
} from './session-rows.ts'
import type { Kysely } from 'kysely'

const storedSessions = { table: 'session', schema: Session } as const

export const sessionStore = (db: Database): SessionStore => ({
  create: (request) => createSession(db, request),
  findRequest: (key) => findRequest(db, key),
  record: (change) => recordChange(db, change),
  take: (id, terms) => take(db, id, terms),
  load: (id) => load(db, id),
  list: (repositoryId, limit) => readNewest(db, storedSessions, { repositoryId, limit }),
  heads: (query) => readHeads(db, query),
  asking: (repositoryId) => readAsking(db, repositoryId),
  events: (id, afterSeq, limit) => readEvents(db.query, id, { afterSeq, limit }),
  requestCancel: (id) =>
    db.query.transaction().execute(async (transaction) => {
      await db.lockRepository(transaction, { session: id })
      await transaction
        .insertInto('session_cancel')
        .values({ session_id: id, requested_at: db.now() })
        .onConflict((conflict) => conflict.column('session_id').doNothing())
        .execute()
    }),
  isCancelRequested: async (id) => {
    const query = db.query.selectFrom('session_cancel').select('session_id').where('session_id', '=', id)
    return (await query.executeTakeFirst()) !== undefined
  },
  leaveNote: (id, note) => leaveNote(db, id, note),
  takeNotes: (id) => takeNotes(db, id),
  lastSeq: async (id) => {
    const query = db.query.selectFrom('session').select('last_seq').where('id', '=', id)
    return (await query.executeTakeFirst())?.last_seq ?? 0
  },
})

/** Claims every issue for the session, or stores nothing. */
const createSession = (
  db: Database,
  { session, attempts, events, key }: NewSession,
): Promise<readonly FixEvent[]> =>
  db.query.transaction().execute(async (transaction) => {
    const at = new Date(db.now()).toISOString()
    await db.lockRepository(transaction, { repository: session.repository_id })
    const known = await readIssuesToChange(transaction, session.issue_ids)
    if (key) await refuseRunning(db, transaction, key)
    const claimed = session.issue_ids.map((id) => {
      const issue = known.get(id)
      if (!issue || issue.repository_id !== session.repository_id) throw unknownIssue(id)
      return { ...claim(issue, session), updated_at: at }
    })
    await transaction
      .insertInto('session')
      .values({ ...sessionColumns(session), last_seq: events.length })
      .execute()
    if (key) await rememberRequest(db, transaction, { key, session })
    await updateIssues(db, transaction, { issues: claimed })
    await putAttempts(db, transaction, { attempts, lease: 'taken_back' })
    return appendEvents(db, transaction, { sessionId: session.id, lastSeq: 0, events })
  })

function claim(issue: Issue, session: Session): Issue {
  refuseHeld(issue, session.id)
  return { ...moveIssue(issue, 'in_progress', 'engine'), fix_session_id: session.id }
}

const take = (
  db: Database,
  id: SessionId,
  { expectedOwner, owner, clone, isCrowded }: TakeTerms,
): Promise<StoredSession> =>
  db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, { session: id })
    const stored = await readStored(transaction, storedSessions, id)
    if (!stored) throw new Fault('not_found', `There is no session ${id}`)
    refuseStranger(id, stored.owner, expectedOwner)
    if (isOver(stored))
      throw new Fault('transition_refused', `Session ${id} is ${stored.status} and cannot go on`, {
        hint: 'Start a new one for the issues that are still open.',
      })
    if (isCrowded) await refuseCrowd(transaction, stored, isCrowded)
    const at = new Date(db.now()).toISOString()
    const attempts = await readAttempts(transaction, id)
    const taken = advanceSession(stored, {
      type: 'taken',
      owner,
      progress: progressOf(attempts),
      ...(clone !== undefined && { clone }),
    })
    const session = { ...taken, updated_at: at }
    await transaction.updateTable('session').set(sessionColumns(session)).where('id', '=', id).execute()
    return { session, attempts }
  })

/** Nobody else takes a session of the repository meanwhile, so that no two see the same free place. */
async function refuseCrowd(
  transaction: Kysely<Tables>,
  { id, repository_id }: Session,
  isCrowded: NonNullable<TakeTerms['isCrowded']>,
): Promise<void> {
  const rows = await transaction
    .selectFrom('session')
    .select('owner')
    .where('repository_id', '=', repository_id)
    .where('status', '=', 'running')
    .where('owner', 'is not', null)
    .where('id', '!=', id)
    .execute()
  if (isCrowded(rows.map((row) => row.owner ?? '')))
    throw new Fault('busy', `${id} waits until another session of its repository ends`)
}

/** Row and attempts of one moment, even while another process writes. */
const load = (db: Database, id: SessionId): Promise<StoredSession | null> =>
  db.query
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const session = await readStored(transaction, storedSessions, id)
      return session && { session, attempts: await readAttempts(transaction, id) }
    })

/** The session that was made for the same request, while that still counts. */
async function findRequest(
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
async function refuseRunning(db: Database, transaction: Kysely<Tables>, request: RequestKey): Promise<void> {
  const id = request.force ? null : await findRequest({ query: transaction, now: db.now }, request)
  if (!id) return
  const session = await readStored(transaction, storedSessions, id)
  if (session && !isOver(session)) throw alreadyRunning(id)
}

/** From now on this session, which is stored already, is the one of its request. */
async function rememberRequest(
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
