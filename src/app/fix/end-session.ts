import { setTimeout } from 'node:timers/promises'
import { Fault } from '../../model/fault.ts'
import { isOver } from '../../model/session/session.ts'
import { cancelSession } from './cancel-session.ts'
import { isDriven, loadSession, outcomeOf, type FixOutcome } from './stored-session.ts'
import type { App } from '../open-app.ts'

const patienceMs = 30_000
const lookEveryMs = 250
/** A process that has let go of the session ends it in the next moment, if it was asked in time. */
const graceMs = 2_000

/** Ends a session: here when nobody drives it, else by asking the process that does. */
export async function endSession(app: App, id: string): Promise<FixOutcome> {
  const { session } = await loadSession(app, id)
  const isElsewhere = session.owner !== null && isDriven(session.owner)
  return isElsewhere ? askToEnd(app, id) : cancelSession(app, id)
}

async function askToEnd(app: App, id: string): Promise<FixOutcome> {
  const { session } = await loadSession(app, id)
  await app.store.sessions.requestCancel(session.id)
  let idleMs = 0
  for (let waited = 0; waited < patienceMs; waited += lookEveryMs) {
    await setTimeout(lookEveryMs)
    const now = await loadSession(app, id)
    if (isOver(now.session)) return outcomeOf(app, now)
    const isIdle = now.session.owner === null || !isDriven(now.session.owner)
    idleMs = isIdle ? idleMs + lookEveryMs : 0
    // The process that was asked has gone without an answer: this one can do it.
    if (isIdle && (idleMs > graceMs || !isDriven(session.owner ?? ''))) return cancelSession(app, id)
  }
  throw new Fault('busy', `${id} was asked to end, but has not yet`, {
    hint: `fixpoint sessions show ${id} tells when it has.`,
  })
}
