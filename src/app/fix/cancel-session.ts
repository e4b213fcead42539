import { isSettled } from '../../model/attempt/attempt.ts'
import { isOver, type Session } from '../../model/session/session.ts'
import { resumeLanding } from '../../loop/landing/land.ts'
import { createRecorder, stepOf } from '../../loop/context/recorder.ts'
import type { StoredSession } from '../../loop/ports.ts'
import type { App } from '../open-app.ts'
import { recover } from '../recover.ts'
import { type FixOutcome, loadSession, takeSession, outcomeOf } from './stored-session.ts'

/** Ends a session that no process drives any more; its issues are open again. */
export async function cancelSession(app: App, id: string): Promise<FixOutcome> {
  const stored = await loadSession(app, id)
  if (isOver(stored.session)) return outcomeOf(app, stored)
  const ports = await app.ports()
  const taken = await takeUnlessOver(app, stored.session)
  if (isOver(taken.session)) return outcomeOf(app, taken)
  // A process that was killed has left its agents at work.
  await recover(app)
  const recorder = createRecorder(taken, ports)
  const event = { type: 'stopped', outcome: 'cancelled', reason: 'cancelled by a person' } as const
  // The branch may have been moved already: what was about to land has landed then, and its issues are fixed.
  const issues = new Map((await ports.issues.get(taken.session.issue_ids)).map((issue) => [issue.id, issue]))
  await resumeLanding({ recorder, ports, issues })
  for (const attempt of recorder.attempts().filter((open) => !isSettled(open)))
    await recorder.recordStep(stepOf(attempt, event))
  for (const { id: attemptId } of taken.attempts) await ports.workspaces.close(attemptId)
  if (recorder.session().landing) await recorder.recordTogether({ session: { type: 'landing_dropped' } })
  const at = new Date(ports.clock.now()).toISOString()
  await recorder.recordTogether({
    session: { type: 'ended', status: 'cancelled', reason: event.reason, at },
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
