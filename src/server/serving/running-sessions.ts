import { availableParallelism } from 'node:os'
import { createRecorder } from '../../loop/context/recorder.ts'
import { createSharedSlots } from '../../loop/context/slots.ts'
import type { StoredSession } from '../../loop/ports.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import { approvalEvent, type ApprovalRequest } from '../../app/fix/answer-approval.ts'
import { runCancellable } from '../../app/fix/run-cancellable.ts'
import { isOwnProcess, loadSession } from '../../app/fix/stored-session.ts'
import type { App } from '../../app/open-app.ts'
import { Fault } from '../../model/fault.ts'
import type { AttemptId, SessionId } from '../../model/id.ts'
import { isOver, type Session } from '../../model/session/session.ts'
import { createAnswerQueue, type AnswerQueue } from './answer-queue.ts'

/** Kept with a session that was put down because its server stopped: the next server picks it up. */
export const serverStopped = 'the server stopped'

export interface RoundAnswer {
  /** The round that was asked about. */
  readonly round: number
  readonly answer: ApprovalRequest['answer']
}

/** The sessions that this process drives right now. */
export interface RunningSessions {
  has(id: string): boolean
  count(): number
  /** Refuses whatever would begin once the server is stopping. */
  refuseLate(): void
  /** Drives a session on, whoever listens; closes the application when it rests. */
  launch(app: App, stored: StoredSession): void
  /** Ends a session now and waits until it rests; nothing happens when it does already. */
  end(id: SessionId, reason: string): Promise<void>
  /** Begins nothing new in a session, and ends what runs when it was asked before; false when it does not run here. */
  putDown(id: SessionId, reason: string): boolean
  /** Gives a person's answer to a session as it runs; false when nothing waits for it, or not any more. */
  answer(id: SessionId, attemptId: AttemptId, answer: RoundAnswer): Promise<boolean>
  /** Puts every session down so that the next server goes on with it: running steps get the grace to finish. */
  stopAll(graceMs: number): Promise<void>
}

interface Run {
  readonly stopStarting: AbortController
  readonly endNow: AbortController
  readonly inbox: AnswerQueue
  /** Who answers: the person that git names. */
  readonly by: string
  readonly done: Promise<void>
}

/** All sessions together, unless one alone may have more: agents mostly wait for their models. */
const agentsAtOnce = 2 * availableParallelism()

type OnError = (error: unknown, sessionId: SessionId) => void

export function createRunningSessions(onError: OnError): RunningSessions {
  const runs = new Map<string, Run>()
  const sharedSlots = createSharedSlots(agentsAtOnce)
  let isStopping = false
  return {
    has: (id) => runs.has(id),
    count: () => runs.size,
    refuseLate() {
      if (isStopping)
        throw new Fault('busy', 'the server is stopping', { hint: 'Try again when it is back.' })
    },
    launch(app, stored) {
      const { id } = stored.session
      const [stopStarting, endNow] = [new AbortController(), new AbortController()]
      const inbox = createAnswerQueue()
      const signals = { stopStarting: stopStarting.signal, endNow: endNow.signal, inbox, sharedSlots }
      const done = drive(app, stored, { signals, onError }).then(async () => {
        runs.delete(id)
        inbox.close()
        await app.close()
      })
      runs.set(id, { stopStarting, endNow, inbox, by: app.git.identity.name, done })
      if (isStopping) stopStarting.abort(serverStopped)
    },
    async end(id, reason) {
      const run = runs.get(id)
      run?.stopStarting.abort(reason)
      run?.endNow.abort()
      await run?.done
    },
    putDown(id, reason) {
      stopHarder(runs.get(id), reason)
      return runs.has(id)
    },
    async answer(id, attemptId, { round, answer }) {
      const run = runs.get(id)
      if (!run) return false
      return run.inbox.put({
        attemptId,
        round,
        eventFor: (attempt) => approvalEvent(attempt, answer, run.by),
      })
    },
    async stopAll(graceMs) {
      isStopping = true
      await stopRuns(runs, graceMs)
    },
  }
}

function stopHarder(run: Run | undefined, reason: string): void {
  if (run?.stopStarting.signal.aborted) run.endNow.abort()
  else run?.stopStarting.abort(reason)
}

async function stopRuns(runs: ReadonlyMap<string, Run>, graceMs: number): Promise<void> {
  runs.forEach(({ stopStarting }) => stopStarting.abort(serverStopped))
  const hurry = setTimeout(() => runs.forEach(({ endNow }) => endNow.abort()), graceMs)
  while (runs.size > 0) await Promise.all([...runs.values()].map(({ done }) => done))
  clearTimeout(hurry)
}

interface Driving {
  readonly signals: SessionSignals
  readonly onError: OnError
}

/** Runs a session until it rests. An error leaves it resumable, and without an owner. */
async function drive(app: App, stored: StoredSession, { signals, onError }: Driving): Promise<void> {
  const { id } = stored.session
  try {
    await runCancellable(app, stored, signals)
  } catch (error) {
    onError(error, id)
    const why = error instanceof Error ? error.message : String(error)
    await release(app, id, `interrupted: ${why}`).catch((failure: unknown) => onError(failure, id))
  }
}

/** Writes down that this process, although alive, does not drive the session any more. */
async function release(app: App, id: SessionId, reason: string): Promise<void> {
  const stored = await loadSession(app, id)
  const { session } = stored
  if (isOver(session) || !session.owner || !isOwnProcess(session.owner)) return
  await createRecorder(stored, await app.ports()).recordTogether({
    session: { type: 'released', reason },
    events: [{ type: 'fix_session_parked', message: reason }],
  })
}

/** Lets go of a session that this very process still owns without driving it. */
export const releaseOwn = (app: App, session: Session): Promise<void> =>
  release(app, session.id, 'interrupted: it could not be put down before')
