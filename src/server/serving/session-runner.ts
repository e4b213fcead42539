import { setTimeout } from 'node:timers/promises'
import { Fault } from '../../model/fault.ts'
import type { Queue, StoredSession } from '../../loop/ports.ts'
import { createRecorder } from '../../loop/context/recorder.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import type { SessionId } from '../../model/id.ts'
import { cancelledByPerson, isOver, type Session } from '../../model/session/session.ts'
import { answerApproval } from '../../app/fix/answer-approval.ts'
import { beginSession, requireAgents, type BegunSession, type FixRequest } from '../../app/fix/fix-issues.ts'
import type { Store } from '../../adapters/store/index.ts'
import { isDriven } from '../../adapters/process/run-mark.ts'
import { loadSession } from '../../app/fix/stored-session.ts'
import { cancelAnywhere } from '../../app/fix/cancel-session.ts'
import { clock } from '../../app/machine.ts'
import type { App } from '../../app/open-app.ts'
import type { Listener } from '../../app/publisher.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import { createTurns } from '../steering/turns.ts'
import { sendSession } from '../../app/worker/due-sessions.ts'
import { releaseOwn, type RoundAnswer, type RunningSessions } from '../../app/worker/running-sessions.ts'

export interface RunnerParts {
  readonly store: Store
  readonly queue: Queue
  /** The sessions that this very process drives. */
  readonly running: RunningSessions
  /** Opens the application on the repository of a session; the runner closes it. */
  readonly openFor: (session: Session) => Promise<App>
  readonly findSession: (id: SessionId) => Promise<StoredSession>
  readonly publish: Listener
}

/** People's requests to sessions, whichever process drives them. */
export interface SessionRunner {
  /** Claims the issues and puts the session into the queue. Closes the application when it is done with it. */
  start(app: App, request: FixRequest): Promise<BegunSession>
  /** Puts a session that nobody drives into the queue. */
  resume(id: SessionId): Promise<void>
  /** Lets the running steps of a session finish and puts it down until somebody resumes it; asked again, puts it down at once. */
  stop(id: SessionId): Promise<void>
  /** Ends a session now; its issues are open again. */
  cancel(id: SessionId): Promise<void>
  /** Takes a person's answer to what waits for one, and goes on. */
  answer(request: PersonsAnswer): Promise<void>
}

export interface PersonsAnswer extends Omit<RoundAnswer, 'by'> {
  /** Who answers, where that is not the person that git names. */
  readonly by?: string
  readonly sessionId: SessionId
  readonly code: string
}

const nothingWaits = (code: string): Fault =>
  new Fault('not_found', `${code} does not wait for this answer any more`)

export function createSessionRunner(parts: RunnerParts): SessionRunner {
  const { running } = parts
  const inTurn = createTurns()
  return {
    stop: (id) => inTurn(id, () => stopSession(id, parts)),
    async start(app, request) {
      try {
        running.refuseLate()
        await requireTrusted(app, { revisions: [request.base ?? 'HEAD'] })
        app.subscribe(parts.publish)
        // One after the other, so that the second of two equal requests finds the session of the first.
        const begun = await inTurn(app.repository.id, () => beginSession(app, request, null))
        if (begun.isNew) await sendSession(parts, begun.stored.session)
        return begun
      } finally {
        await app.close()
      }
    },
    resume: (id) => inTurn(id, () => resumeSession(id, parts)),
    cancel: (id) =>
      inTurn(id, async () => {
        await running.end(id, cancelledByPerson)
        const { session } = await parts.findSession(id)
        await withApp(session, parts, async (app) => {
          await releaseOwn(app, (await loadSession(app, id)).session)
          await cancelAnywhere(app, id)
        })
      }),
    answer: (request) => inTurn(request.sessionId, () => answerSession(request, parts)),
  }
}

async function answerSession(request: PersonsAnswer, parts: RunnerParts): Promise<void> {
  const { running, store } = parts
  running.refuseLate()
  const { sessionId, code, answer, round } = request
  const { session, attempts } = await parts.findSession(sessionId)
  const held = attempts.find((attempt) => attempt.stage === 'held' && attempt.issue_code === code)
  await withApp(session, parts, async (app) => {
    const by = request.by ?? app.git.identity.name
    if (held && (await running.answer(sessionId, held.id, { round, answer, by }))) return
    // A session that came to rest in the meantime is answered like any other that rests.
    if (held && running.has(sessionId)) throw nothingWaits(code)
    if (held && (await isDrivenNow(store, session))) {
      await store.sessions.leaveNote(sessionId, { kind: 'answer', attempt_id: held.id, round, answer, by })
      return untilAnswered(parts, held, sessionId)
    }
    await answerApproval(app, { sessionId, codes: [code], answer, by })
    if (held) await resumeSession(sessionId, parts)
  })
}

const answerPatienceMs = 10_000
const lookEveryMs = 100

/** Waits until the process that drives the session has taken the answer. */
async function untilAnswered({ findSession }: RunnerParts, held: Attempt, id: SessionId): Promise<void> {
  for (let waited = 0; waited < answerPatienceMs; waited += lookEveryMs) {
    const { attempts } = await findSession(id)
    if (attempts.find((attempt) => attempt.id === held.id)?.stage !== 'held') return
    await setTimeout(lookEveryMs)
  }
  throw new Fault('busy', `the process that works on ${id} has not taken the answer yet`, {
    hint: 'Answer again in a moment.',
    details: { session_id: id },
  })
}

/** A worker that began a moment ago may not have been seen yet, so it is looked who is alive. */
async function isDrivenNow(store: Store, session: Session): Promise<boolean> {
  if (session.owner !== null) await store.readOwners()
  return isDriven(store, session)
}

async function stopSession(
  id: SessionId,
  { running, findSession, store, publish }: RunnerParts,
): Promise<void> {
  if (running.putDown(id, 'stopped by a person')) return
  const stored = await findSession(id)
  if (await isDrivenNow(store, stored.session)) return store.sessions.leaveNote(id, { kind: 'stop' })
  if (stored.session.status !== 'pending')
    throw new Fault('transition_refused', `nobody works on ${id}, so there is nothing to stop`)
  const reason = `stopped by a person: fixpoint resume ${id} goes on`
  await createRecorder(stored, { sessions: store.sessions, clock, publisher: { publish } }).recordTogether({
    session: { type: 'released', reason },
    events: [{ type: 'fix_session_parked', message: reason }],
  })
}

async function resumeSession(id: SessionId, parts: RunnerParts): Promise<void> {
  const { running, findSession, store, publish } = parts
  running.refuseLate()
  if (running.has(id)) return
  const { session } = await findSession(id)
  if (isOver(session))
    throw new Fault('transition_refused', `${id} is ${session.status} and cannot go on`, {
      hint: 'Start a new one for the issues that are still open.',
    })
  await withApp(session, parts, async (app) => {
    await requireTrusted(app, { revisions: [session.base.commit] })
    requireAgents(app, await app.ports())
    await releaseOwn(app, session)
  })
  const stored = await findSession(id)
  if (await isDrivenNow(store, stored.session))
    throw new Fault('busy', `${id} is being worked on by another process`, { details: { session_id: id } })
  // The row says that it waits, so that nothing is lost with the job. One whose process is gone says enough already.
  if (stored.session.owner === null && stored.session.status !== 'pending')
    await createRecorder(stored, { sessions: store.sessions, clock, publisher: { publish } }).recordTogether({
      session: { type: 'queued' },
    })
  await sendSession(parts, stored.session)
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
