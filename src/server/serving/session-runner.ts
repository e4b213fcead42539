import { availableParallelism } from 'node:os'
import { createRecorder } from '../../loop/context/recorder.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import { createSharedSlots } from '../../loop/context/slots.ts'
import { runCancellable } from '../../app/fix/run-cancellable.ts'
import type { StoredSession } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import type { AttemptId, SessionId } from '../../model/id.ts'
import { isOver, type Session } from '../../model/session/session.ts'
import { answerApproval, approvalEvent, type ApprovalRequest } from '../../app/fix/answer-approval.ts'
import { beginSession, requireAgents, type BegunSession, type FixRequest } from '../../app/fix/fix-issues.ts'
import { isDriven, isOwnProcess, loadSession, takeSession } from '../../app/fix/stored-session.ts'
import { cancelAnywhere } from '../../app/fix/cancel-session.ts'
import type { App } from '../../app/open-app.ts'
import type { Listener } from '../../app/publisher.ts'
import { createTurns } from './in-turn.ts'
import { createAnswerQueue } from './answer-queue.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'

/** Kept with a session that was put down because its server stopped: the next server picks it up. */
const serverStopped = 'the server stopped'

export interface RunnerParts {
  /** Opens the application on the repository of a session; the runner closes it. */
  readonly openFor: (session: Pick<Session, 'repository_id'>) => Promise<App>
  readonly findSession: (id: SessionId) => Promise<StoredSession>
  readonly publish: Listener
  readonly onError: (error: unknown, sessionId: SessionId) => void
}

export interface SessionRunner {
  /** Claims the issues and runs the session on, whoever listens. Closes the application when it is done with it. */
  start(app: App, request: FixRequest): Promise<BegunSession>
  /** Goes on with a session that nobody drives. */
  resume(id: SessionId): Promise<void>
  /** Ends a session now; its issues are open again. */
  cancel(id: SessionId): Promise<void>
  /** Takes a person's word on what waits for it, and goes on. */
  answer(request: PersonsAnswer): Promise<void>
  isRunning(id: string): boolean
  runningCount(): number
  /** Puts every session down so that the next server goes on with it: running steps get the grace to finish. */
  stop(graceMs: number): Promise<void>
}

export interface PersonsAnswer {
  readonly sessionId: SessionId
  readonly code: string
  /** The round that was asked about. */
  readonly round: number
  readonly answer: ApprovalRequest['answer']
}

interface Run {
  readonly stopStarting: AbortController
  readonly endNow: AbortController
  /** Gives a person's answer to the session as it runs; false when nothing waits for it, or not any more. */
  readonly answer: (attemptId: AttemptId, request: PersonsAnswer) => Promise<boolean>
  readonly done: Promise<void>
}

/** All sessions together, unless one alone may have more: agents mostly wait for their models. */
const agentsAtOnce = 2 * availableParallelism()

const nothingWaits = (code: string): Fault =>
  new Fault('not_found', `${code} does not wait for this answer any more`)

/** Runs sessions inside this process, side by side, each with an application of its own. */
export function createSessionRunner(parts: RunnerParts): SessionRunner {
  const runs = new Map<string, Run>()
  const inTurn = createTurns()
  const sharedSlots = createSharedSlots(agentsAtOnce)
  let isStopping = false

  const refuseLate = (): void => {
    if (isStopping) throw new Fault('busy', 'the server is stopping', { hint: 'Try again when it is back.' })
  }
  const launch = (app: App, stored: StoredSession): void => {
    const { id } = stored.session
    const [stopStarting, endNow, inbox] = [new AbortController(), new AbortController(), createAnswerQueue()]
    const signals = { stopStarting: stopStarting.signal, endNow: endNow.signal, inbox, sharedSlots }
    const done = drive(app, stored, signals, parts).then(async () => {
      runs.delete(id)
      inbox.close()
      await app.close()
    })
    const by = app.git.identity.name
    const answer: Run['answer'] = (attemptId, { round, answer: given }) =>
      inbox.put({ attemptId, round, eventFor: (attempt) => approvalEvent(attempt, given, by) })
    runs.set(id, { stopStarting, endNow, answer, done })
    if (isStopping) stopStarting.abort(serverStopped)
  }

  const resumeNow = async (id: SessionId): Promise<void> => {
    refuseLate()
    if (runs.has(id)) return
    const { session } = await parts.findSession(id)
    if (isOver(session))
      throw new Fault('transition_refused', `${id} is ${session.status} and cannot go on`, {
        hint: 'Start a new one for the issues that are still open.',
      })
    const app = await parts.openFor(session)
    try {
      app.subscribe(parts.publish)
      await requireTrusted(app, { revisions: [session.base.commit] })
      requireAgents(app, await app.ports())
      await releaseOwn(app, session)
      launch(app, await takeSession(app, (await loadSession(app, id)).session))
    } catch (error) {
      await app.close()
      throw error
    }
  }

  return {
    isRunning: (id) => runs.has(id),
    runningCount: () => runs.size,
    async start(app, request) {
      try {
        refuseLate()
        await requireTrusted(app, { revisions: [request.base ?? 'HEAD'] })
        app.subscribe(parts.publish)
        // One after the other, so that a crowd that asks for the same finds out at once.
        const begun = await inTurn(app.repository.id, () => beginSession(app, request))
        if (begun.isNew) launch(app, begun.stored)
        else await app.close()
        return begun
      } catch (error) {
        await app.close()
        throw error
      }
    },
    resume: (id) => inTurn(id, () => resumeNow(id)),
    cancel: (id) =>
      inTurn(id, async () => {
        const run = runs.get(id)
        run?.stopStarting.abort('cancelled by a person')
        run?.endNow.abort()
        await run?.done
        const app = await parts.openFor((await parts.findSession(id)).session)
        try {
          app.subscribe(parts.publish)
          await releaseOwn(app, (await loadSession(app, id)).session)
          await cancelAnywhere(app, id)
        } finally {
          await app.close()
        }
      }),
    answer: (request) =>
      inTurn(request.sessionId, async () => {
        refuseLate()
        const { sessionId, code, answer } = request
        const { session, attempts } = await parts.findSession(sessionId)
        const held = attempts.find((attempt) => attempt.stage === 'held' && attempt.issue_code === code)
        const run = runs.get(sessionId)
        if (held && run && (await run.answer(held.id, request))) return
        // A session that came to rest in the meantime is answered like any other that rests.
        if (held && runs.has(sessionId)) throw nothingWaits(code)
        const app = await parts.openFor(session)
        try {
          app.subscribe(parts.publish)
          await answerApproval(app, { sessionId, codes: [code], answer })
        } finally {
          await app.close()
        }
        if (held) await resumeNow(sessionId)
      }),
    async stop(graceMs) {
      isStopping = true
      runs.forEach(({ stopStarting }) => stopStarting.abort(serverStopped))
      const hurry = setTimeout(() => runs.forEach(({ endNow }) => endNow.abort()), graceMs)
      while (runs.size > 0) await Promise.all([...runs.values()].map(({ done }) => done))
      clearTimeout(hurry)
    },
  }
}

/** Whether a session should go on by itself: its driver is gone, or the quota that it waits for is back. */
export function shouldGoOn({ status, owner, reason, halt }: Session, nowMs: number): boolean {
  if (status === 'parked')
    return halt?.kind === 'quota' && halt.until !== null && Date.parse(halt.until) <= nowMs
  return status === 'running' && (owner ? !isDriven(owner) : (reason ?? '').startsWith(serverStopped))
}

/** Runs a session until it rests. What ends it early leaves it resumable, and nobody's. */
async function drive(
  app: App,
  stored: StoredSession,
  signals: SessionSignals,
  { onError }: RunnerParts,
): Promise<void> {
  const { id } = stored.session
  try {
    await runCancellable(app, stored, signals)
  } catch (error) {
    onError(error, id)
    const why = error instanceof Error ? error.message : String(error)
    await release(app, id, `interrupted: ${why}`).catch((failure: unknown) => onError(failure, id))
  }
}

/** This process does not work on the session any more, although it is still alive. */
async function release(app: App, id: SessionId, reason: string): Promise<void> {
  const stored = await loadSession(app, id)
  const { session } = stored
  if (isOver(session) || !session.owner || !isOwnProcess(session.owner)) return
  await createRecorder(stored, await app.ports()).recordTogether({
    session: { type: 'released', reason },
    events: [{ type: 'fix_session_parked', message: reason }],
  })
}

const releaseOwn = (app: App, session: Session): Promise<void> =>
  release(app, session.id, 'interrupted: it could not be put down before')
