import { setTimeout } from 'node:timers/promises'
import { Fault } from '../../model/fault.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { cancelledByPerson, isOver, type Session } from '../../model/session/session.ts'
import { resumeLanding } from '../../loop/landing/land.ts'
import { createRecorder, settleOpenAttempts } from '../../loop/context/recorder.ts'
import type { StoredSession } from '../../loop/ports.ts'
import type { App } from '../open-app.ts'
import { freeStranded, recover } from '../recover.ts'
import { isDriven } from '../../adapters/process/run-mark.ts'
import { loadSession, outcomeOf, takeSession, type FixOutcome } from './stored-session.ts'

/** Ends a session that no process drives any more; its issues are open again. */
export async function cancelSession(app: App, id: string): Promise<FixOutcome> {
  const stored = await loadSession(app, id)
  if (isOver(stored.session)) return outcomeOf(app, await freeStranded(app.store, stored))
  const ports = await app.ports()
  const taken = await takeUnlessOver(app, stored.session)
  if (isOver(taken.session)) return outcomeOf(app, taken)
  // A process that was killed has left its agents at work.
  await recover(app)
  const recorder = createRecorder(taken, ports)
  const reason = cancelledByPerson
  // The branch may have been moved already: the patch has landed then, and its issues are fixed.
  const issues = new Map((await ports.issues.get(taken.session.issue_ids)).map((issue) => [issue.id, issue]))
  await resumeLanding({ recorder, ports, issues })
  await settleOpenAttempts(recorder, { outcome: 'cancelled', reason })
  for (const { id: attemptId } of taken.attempts) await ports.workspaces.close(attemptId)
  if (recorder.session().landing) await recorder.recordTogether({ session: { type: 'landing_dropped' } })
  const at = new Date(ports.clock.now()).toISOString()
  await recorder.recordTogether({
    session: { type: 'ended', status: 'cancelled', reason, at },
    events: [{ type: 'fix_session_completed', message: 'cancelled' }],
  })
  return outcomeOf(app, { session: recorder.session(), attempts: recorder.attempts() })
}

/** Two processes may want to end the same session: the slower one finds it ended. */
async function takeUnlessOver(app: App, session: Session): Promise<StoredSession> {
  try {
    return await takeSession(app, session)
  } catch (error) {
    const now = await loadSession(app, session.id)
    if (isOver(now.session)) return now
    throw error
  }
}

const patienceMs = 30_000
const lookEveryMs = 250
/** A process that has let go of the session ends it in the next moment, if it was asked in time. */
const graceMs = 2_000

/** Cancels a session: here when nobody drives it, else by asking the process that does. */
export async function cancelAnywhere(app: App, id: string): Promise<FixOutcome> {
  const { session } = await loadSession(app, id)
  // A process that began a moment ago may not have been seen yet.
  if (session.owner !== null) await app.store.readOwners()
  return isDriven(app.store, session) ? askToEnd(app, id) : cancelSession(app, id)
}

async function askToEnd(app: App, id: string): Promise<FixOutcome> {
  const { session } = await loadSession(app, id)
  await app.store.sessions.requestCancel(session.id)
  let idleMs = 0
  for (let waited = 0; waited < patienceMs; waited += lookEveryMs) {
    await setTimeout(lookEveryMs)
    const now = await loadSession(app, id)
    if (isOver(now.session)) return outcomeOf(app, now)
    const isIdle = !isDriven(app.store, now.session)
    idleMs = isIdle ? idleMs + lookEveryMs : 0
    // The process that was asked has gone without an answer: this one can do it.
    if (isIdle && (idleMs > graceMs || !isDriven(app.store, session))) return cancelSession(app, id)
  }
  throw new Fault('busy', `${id} was asked to end, but has not yet`, {
    hint: `fixpoint sessions show ${id} tells when it has.`,
  })
}

/** Ends the sessions that hold the issues and that no living process works on. */
export async function cancelStuckSessions(app: App, issues: readonly Issue[]): Promise<void> {
  const held = issues.filter(({ status }) => status === 'in_progress')
  for (const id of new Set(held.map(({ fix_session_id }) => fix_session_id))) {
    const stored = id && (await app.store.sessions.load(id))
    if (stored && !isDriven(app.store, stored.session)) await cancelSession(app, id)
  }
}
