import { isOver } from '../../model/session/session.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import type { App } from '../open-app.ts'
import { runCancellable } from './run-cancellable.ts'
import { recover } from '../recover.ts'
import { type FixOutcome, loadSession, takeSession, outcomeOf } from './stored-session.ts'
import { requireAgents } from './fix-issues.ts'

export interface ResumeOptions extends SessionSignals {
  /** What the session may cost from now on, where that changes. */
  readonly budgetUsd?: number
}

/** Takes over a session from a process that is gone, and drives it to its end. For a session that is over it only gives the result. */
export async function resumeSession(
  app: App,
  id: string,
  { budgetUsd, ...signals }: ResumeOptions,
): Promise<FixOutcome> {
  const stored = await loadSession(app, id)
  if (isOver(stored.session)) {
    // A process that was killed after its last step may still have left something behind.
    await recover(app)
    return outcomeOf(app, stored)
  }
  const ports = await app.ports()
  requireAgents(app, ports)
  const taken = await takeSession(app, stored.session, { budgetUsd })
  await recover(app)
  return outcomeOf(app, await runCancellable(app, taken, signals))
}
