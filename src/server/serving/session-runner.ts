import { Fault } from '../../model/fault.ts'
import type { StoredSession } from '../../loop/ports.ts'
import type { SessionId } from '../../model/id.ts'
import { passesByItself } from '../../model/session/halt.ts'
import { isOver, type Session } from '../../model/session/session.ts'
import { answerApproval } from '../../app/fix/answer-approval.ts'
import { beginSession, requireAgents, type BegunSession, type FixRequest } from '../../app/fix/fix-issues.ts'
import type { Store } from '../../adapters/store/index.ts'
import { isDriven, loadSession, takeSession } from '../../app/fix/stored-session.ts'
import { cancelAnywhere } from '../../app/fix/cancel-session.ts'
import type { App } from '../../app/open-app.ts'
import type { Listener } from '../../app/publisher.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import {
  createRunningSessions,
  releaseOwn,
  serverStopped,
  type RoundAnswer,
  type RunningSessions,
} from './running-sessions.ts'

export interface RunnerParts {
  readonly store: Pick<Store, 'isOwnerAlive'>
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
  /** Lets the running steps of a session finish and puts it down until somebody resumes it; asked again, puts it down at once. */
  stop(id: SessionId): Promise<void>
  /** Ends a session now; its issues are open again. */
  cancel(id: SessionId): Promise<void>
  /** Takes a person's answer to what waits for one, and goes on. */
  answer(request: PersonsAnswer): Promise<void>
  isRunning(id: string): boolean
  runningCount(): number
  /** Puts every session down so that the next server goes on with it: running steps get the grace to finish. */
  stopAll(graceMs: number): Promise<void>
}

export interface PersonsAnswer extends RoundAnswer {
  readonly sessionId: SessionId
  readonly code: string
}

const nothingWaits = (code: string): Fault =>
  new Fault('not_found', `${code} does not wait for this answer any more`)

/** Runs sessions inside this process, side by side, each with an application of its own. */
export function createSessionRunner(parts: RunnerParts): SessionRunner {
  const running = createRunningSessions(parts.onError)
  const inTurn = createTurns()
  const resume = (id: SessionId): Promise<void> => resumeSession(id, running, parts)
  return {
    isRunning: running.has,
    runningCount: running.count,
    stopAll: running.stopAll,
    stop: (id) => stopSession(id, running, parts),
    async start(app, request) {
      try {
        running.refuseLate()
        await requireTrusted(app, { revisions: [request.base ?? 'HEAD'] })
        app.subscribe(parts.publish)
        // One after the other, so that the second of two equal requests finds the session of the first.
        const begun = await inTurn(app.repository.id, () => beginSession(app, request))
        if (begun.isNew) running.launch(app, begun.stored)
        else await app.close()
        return begun
      } catch (error) {
        await app.close()
        throw error
      }
    },
    resume: (id) => inTurn(id, () => resume(id)),
    cancel: (id) =>
      inTurn(id, async () => {
        await running.end(id, 'cancelled by a person')
        const { session } = await parts.findSession(id)
        await withApp(session, parts, async (app) => {
          await releaseOwn(app, (await loadSession(app, id)).session)
          await cancelAnywhere(app, id)
        })
      }),
    answer: (request) =>
      inTurn(request.sessionId, async () => {
        running.refuseLate()
        const { sessionId, code, answer } = request
        const { session, attempts } = await parts.findSession(sessionId)
        const held = attempts.find((attempt) => attempt.stage === 'held' && attempt.issue_code === code)
        if (held && (await running.answer(sessionId, held.id, request))) return
        // A session that came to rest in the meantime is answered like any other that rests.
        if (held && running.has(sessionId)) throw nothingWaits(code)
        await withApp(session, parts, (app) => answerApproval(app, { sessionId, codes: [code], answer }))
        if (held) await resume(sessionId)
      }),
  }
}

async function stopSession(
  id: SessionId,
  running: RunningSessions,
  { findSession, store }: RunnerParts,
): Promise<void> {
  if (running.putDown(id, 'stopped by a person')) return
  const { session } = await findSession(id)
  if (isDriven(store, session))
    throw new Fault('busy', `${id} is being worked on by another process`, {
      hint: 'Stop it there, with Ctrl-C; or cancel it here.',
      details: { session_id: id },
    })
  throw new Fault('transition_refused', `nobody works on ${id}, so there is nothing to stop`)
}

async function resumeSession(
  id: SessionId,
  running: RunningSessions,
  { findSession, openFor, publish }: RunnerParts,
): Promise<void> {
  running.refuseLate()
  if (running.has(id)) return
  const { session } = await findSession(id)
  if (isOver(session))
    throw new Fault('transition_refused', `${id} is ${session.status} and cannot go on`, {
      hint: 'Start a new one for the issues that are still open.',
    })
  const app = await openFor(session)
  try {
    app.subscribe(publish)
    await requireTrusted(app, { revisions: [session.base.commit] })
    requireAgents(app, await app.ports())
    await releaseOwn(app, session)
    running.launch(app, await takeSession(app, (await loadSession(app, id)).session))
  } catch (error) {
    await app.close()
    throw error
  }
}

/** Opens the application of a session for as long as the work takes. */
async function withApp(
  session: Session,
  { openFor, publish }: RunnerParts,
  use: (app: App) => Promise<unknown>,
): Promise<void> {
  const app = await openFor(session)
  try {
    app.subscribe(publish)
    await use(app)
  } finally {
    await app.close()
  }
}

/** Whether a session should go on by itself: its driver is gone, or the quota that it waits for is back. */
export function shouldGoOn(
  session: Session,
  { store, nowMs }: { readonly store: Pick<Store, 'isOwnerAlive'>; readonly nowMs: number },
): boolean {
  const { status, owner, reason, halt } = session
  if (status === 'parked') return !!halt?.until && passesByItself(halt) && Date.parse(halt.until) <= nowMs
  return (
    status === 'running' && (owner ? !isDriven(store, session) : (reason ?? '').startsWith(serverStopped))
  )
}

/** Does one thing after the other for each key; different keys do not wait for each other. */
function createTurns(): <Value>(key: string, work: () => Promise<Value>) => Promise<Value> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const current = before.then(work, work)
    const settled = current.then(
      () => undefined,
      () => undefined,
    )
    last.set(key, settled)
    void settled.then(() => last.get(key) === settled && last.delete(key))
    return current
  }
}
