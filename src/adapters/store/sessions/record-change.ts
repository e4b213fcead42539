import type { Kysely } from 'kysely'
import type { SessionChange } from '../../../loop/ports.ts'
import type { FixEvent } from '../../../model/session/event.ts'
import { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import type { HeldLease } from '../../../model/session/attempt-lease.ts'
import { checkEdit, refuseHeld, unknownIssue } from '../issues/edit-issue.ts'
import { readIssuesToChange, updateIssues } from '../issues/issue-rows.ts'
import type { Database, Tables } from '../tables/tables.ts'
import { appendEvents, putAttempts, sessionColumns } from './session-rows.ts'

/** Writes a change whole, or refuses it whole. */
export const recordChange = (db: Database, change: SessionChange): Promise<readonly FixEvent[]> =>
  db.query.transaction().execute(async (transaction) => {
    const { sessionId, session, attempts = [], issues = [], events } = change
    await db.lockRepository(transaction, { session: sessionId })
    const { owner, last_seq: lastSeq } = await readHead(transaction, sessionId)
    if (change.lease) await checkLease(transaction, change.lease, change)
    else refuseStranger(sessionId, owner, change.owner ?? session?.owner ?? null)
    checkBelonging(change, owner)
    const at = new Date(db.now()).toISOString()
    await transaction
      .updateTable('session')
      .set({
        last_seq: lastSeq + events.length,
        ...(session && sessionColumns({ ...session, updated_at: at })),
      })
      .where('id', '=', sessionId)
      .execute()
    await putAttempts(db, transaction, { attempts, lease: change.lease ? 'kept' : 'taken_back' })
    const edited = await editIssues(transaction, { sessionId, issues })
    const stamped = edited.map((issue) => ({ ...issue, updated_at: at }))
    await updateIssues(db, transaction, { issues: stamped })
    return appendEvents(db, transaction, { sessionId, lastSeq, events })
  })

/** Who drives the session and how far its events go. */
async function readHead(transaction: Kysely<Tables>, id: SessionId) {
  const query = transaction.selectFrom('session').select(['owner', 'last_seq']).where('id', '=', id)
  const head = await query.executeTakeFirst()
  if (!head) throw new Fault('not_found', `There is no session ${id}`)
  return head
}

/** A process that was taken for dead and comes back must not write any more. */
export function refuseStranger(id: SessionId, owner: string | null, writer: string | null): void {
  if (owner === writer) return
  const what =
    owner === null ? 'was released or ended by another process' : 'was taken over by another process'
  throw new Fault('busy', `Session ${id} ${what}`, {
    hint: 'Follow that process, or resume the session when it has stopped.',
    details: { session_id: id, owner, writer },
  })
}

/** Whoever works on one attempt writes to that one only, and only while it is theirs. */
async function checkLease(
  transaction: Kysely<Tables>,
  { sessionId, attemptId, number }: HeldLease,
  change: SessionChange,
): Promise<void> {
  const others = (change.attempts ?? []).filter(({ id }) => id !== attemptId)
  if (change.session || change.sessionId !== sessionId || others.length > 0)
    throw new Fault('internal', `The lease of ${attemptId} lets nobody write to anything else`)
  const row = await transaction
    .selectFrom('attempt')
    .select('lease_number')
    .where('id', '=', attemptId)
    .executeTakeFirst()
  if (row?.lease_number === number) return
  throw new Fault('busy', `Attempt ${attemptId} was taken back or given to another process`, {
    hint: 'Nothing is to be done: whoever has it now goes on with it.',
    details: { session_id: sessionId, number, now: row?.lease_number ?? null },
  })
}

function checkBelonging({ sessionId, session, attempts = [] }: SessionChange, owner: string | null): void {
  if (session && session.id !== sessionId)
    throw new Fault('internal', `${session.id} was recorded as ${sessionId}`)
  if (session && session.owner !== null && session.owner !== owner)
    throw new Fault('internal', `Session ${sessionId} changes its owner only by being taken`)
  const stray = attempts.find((attempt) => attempt.session_id !== sessionId)
  if (stray) throw new Fault('internal', `${stray.id} does not belong to ${sessionId}`)
}

/** Several edits of one issue follow each other. */
async function editIssues(
  transaction: Kysely<Tables>,
  { sessionId, issues }: { sessionId: SessionId; issues: NonNullable<SessionChange['issues']> },
): Promise<readonly Issue[]> {
  if (issues.length === 0) return []
  const edited = new Map(
    await readIssuesToChange(
      transaction,
      issues.map((issue) => issue.id),
    ),
  )
  for (const { id, edit } of issues) {
    const before = edited.get(id)
    if (!before) throw unknownIssue(id)
    refuseHeld(before, sessionId)
    edited.set(id, checkEdit(before, edit(before), 'engine'))
  }
  return [...edited.values()]
}
