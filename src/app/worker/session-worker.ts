import { createRunMark } from '../../adapters/process/run-mark.ts'
import type { Store } from '../../adapters/store/index.ts'
import { createRecorder } from '../../loop/context/recorder.ts'
import type { QueueEntry, QueueTaker, Queue, StoredSession } from '../../loop/ports.ts'
import { asFault, Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/id.ts'
import { isOver, progressOf, type Session } from '../../model/session/session.ts'
import { requireAgents } from '../fix/fix-issues.ts'
import { requireTrusted } from '../fix/require-trusted.ts'
import { isDriven, loadSession, takeSession } from '../fix/stored-session.ts'
import { clock } from '../machine.ts'
import type { App } from '../open-app.ts'
import type { Listener } from '../publisher.ts'
import { recover } from '../recover.ts'
import { shouldGoOn } from './due-sessions.ts'
import { releaseOwn, type RunningSessions } from './running-sessions.ts'

export interface SessionWorkerParts {
  readonly home: string
  readonly store: Store
  readonly queue: Queue
  /** Opens the application on the repository of a session; the worker closes it. */
  readonly openFor: (session: Session) => Promise<App>
  readonly running: RunningSessions
  readonly publish: Listener
  readonly onError: (error: unknown, sessionId: SessionId) => void
  /** How often a session that this process cannot go on with is handed to another one, before it is set aside. */
  readonly handBacks: number
}

/** Takes sessions from the queue and drives each until it rests. */
export const startSessionWorker = (parts: SessionWorkerParts, atOnce: number): Promise<QueueTaker> =>
  parts.queue.work({ atOnce, handle: (job) => handleJob(parts, job) })

/** A session that was taken over so often without getting any further is left to a person. */
const mostTakeovers = 3
const handBackMs = 2_000

async function handleJob(parts: SessionWorkerParts, job: QueueEntry): Promise<void> {
  const { store, running } = parts
  const stored = await store.sessions.load(job.sessionId)
  if (!stored || running.has(job.sessionId)) return
  if (!shouldGoOn(stored.session, { store, nowMs: clock.now() })) return
  const { takeovers } = stored.session
  if (takeovers && takeovers.count >= mostTakeovers && takeovers.progress === progressOf(stored.attempts))
    return setAside(
      parts,
      stored,
      `${takeovers.count} processes in a row ended while they worked on it (${takeovers.progress})`,
    )
  try {
    await (
      await beginDriving(parts, stored.session)
    )?.()
  } catch (error) {
    parts.onError(error, job.sessionId)
    await handBack(parts, job, asFault(error))
  }
}

/** Gives what drives the session to where it rests; null when another process was faster. */
async function beginDriving(
  { openFor, publish, running }: SessionWorkerParts,
  session: Session,
): Promise<(() => Promise<void>) | null> {
  const app = await openFor(session)
  try {
    running.refuseLate()
    app.subscribe(publish)
    await requireTrusted(app, { revisions: [session.base.commit] })
    requireAgents(app, await app.ports())
    await releaseOwn(app, session)
    await recover(app)
    // Nothing that can fail stands between taking and driving: this process would own what it does not drive.
    const taken = await takeSession(app, (await loadSession(app, session.id)).session)
    return () => running.launch(app, taken)
  } catch (error) {
    await app.close()
    if (error instanceof Fault && error.code === 'busy') return null
    throw error
  }
}

/** Lets another process try what this one could not begin; after the last one, a person has to look. */
async function handBack(parts: SessionWorkerParts, job: QueueEntry, fault: Fault): Promise<void> {
  const stored = await parts.store.sessions.load(job.sessionId)
  if (!stored || isOver(stored.session) || isDriven(parts.store, stored.session)) return
  if (job.refusals < parts.handBacks)
    return parts.queue.send({ ...job, refusals: job.refusals + 1 }, { delayMs: handBackMs })
  const hint = fault.hint === undefined ? '' : ` ${fault.hint}`
  await setAside(parts, stored, `it could not go on: ${fault.message}.${hint}`)
}

/** Parks a session with the reason; a person who resumes it starts the count anew. */
async function setAside(
  { home, store, publish }: SessionWorkerParts,
  { session }: StoredSession,
  reason: string,
): Promise<void> {
  const taken = await store.sessions.take(session.id, session.owner, createRunMark(home))
  const halt = { kind: 'worker', reason, until: null } as const
  const message = `worker: ${reason}; fixpoint resume ${session.id} goes on`
  await createRecorder(taken, {
    sessions: store.sessions,
    clock,
    publisher: { publish },
  }).recordTogether({
    session: { type: 'halted', halt },
    events: [{ type: 'fix_session_parked', message, details: { halt } }],
  })
}
