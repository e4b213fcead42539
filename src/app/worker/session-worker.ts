import { createRunMark, isDriven } from '../../adapters/process/run-mark.ts'
import type { Store } from '../../adapters/store/index.ts'
import { createRecorder } from '../../loop/context/recorder.ts'
import type { SessionEntry, QueueTaker, Queue, StoredSession } from '../../loop/ports.ts'
import { asFault, Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/id.ts'
import { isOver, progressOf, type Session } from '../../model/session/session.ts'
import { requireAgents } from '../fix/fix-issues.ts'
import { requireTrusted } from '../fix/require-trusted.ts'
import { loadSession, takeSession } from '../fix/stored-session.ts'
import { clock } from '../machine.ts'
import type { App } from '../open-app.ts'
import type { Listener } from '../publisher.ts'
import { recover } from '../recover.ts'
import { bringSession } from '../carry/carry-objects.ts'
import { isLostHere, sendSession, shouldGoOn } from './due-sessions.ts'
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
  /** How many sessions of one repository all processes together drive at once. */
  readonly perRepository: number
  /** How often a session that this process cannot go on with is handed to another one, before it is set aside. */
  readonly handBacks: number
}

/** Takes sessions from the queue and drives each until it rests. */
export function startSessionWorker(parts: SessionWorkerParts, atOnce: number): Promise<QueueTaker> {
  const beginning = new Set<SessionId>()
  return parts.queue.work({
    kind: 'sessions',
    atOnce,
    async handle(job) {
      if (beginning.has(job.sessionId)) return
      beginning.add(job.sessionId)
      const drive = await handleJob(parts, job).finally(() => beginning.delete(job.sessionId))
      if (drive === null) return
      await drive()
      await sendWaiting(parts, job)
    },
  })
}

/** A session that was taken over so often without getting any further is left to a person. */
const mostTakeovers = 3
const handBackMs = 2_000

type Drive = () => Promise<void>

/** Returns what drives the session of a job; null when there is nothing to do, or not here. */
async function handleJob(parts: SessionWorkerParts, job: SessionEntry): Promise<Drive | null> {
  const { store, running } = parts
  const stored = await store.sessions.load(job.sessionId)
  if (!stored || running.has(job.sessionId)) return null
  const isLost = stored.session.status === 'running' && isLostHere(stored.session, running)
  if (!isLost && !shouldGoOn(stored.session, { store, nowMs: clock.now() })) return null
  const { takeovers } = stored.session
  if (takeovers && takeovers.count >= mostTakeovers && takeovers.progress === progressOf(stored.attempts)) {
    await setAside(
      parts,
      stored,
      `${takeovers.count} processes in a row ended while they worked on it (${takeovers.progress})`,
    )
    return null
  }
  try {
    return await beginDriving(parts, stored.session)
  } catch (error) {
    parts.onError(error, job.sessionId)
    await handBack(parts, job, asFault(error))
    return null
  }
}

/** Returns what drives the session until it rests; null when another process was faster, or its repository has enough sessions. */
async function beginDriving(parts: SessionWorkerParts, session: Session): Promise<Drive | null> {
  const { openFor, publish, running, store, perRepository } = parts
  const isCrowded = (owners: readonly string[]): boolean =>
    owners.filter((owner) => isDriven(store, { owner })).length >= perRepository
  if (await hasEnough(parts, session, isCrowded)) return null
  const app = await openFor(session)
  try {
    running.refuseLate()
    app.subscribe(publish)
    await requireTrusted(app, { revisions: [session.base.commit] })
    requireAgents(app, await app.ports())
    await releaseOwn(app, session)
    await recover(app)
    // Nothing that can fail stands between taking and driving: this process would own what it does not drive.
    const stored = await loadSession(app, session.id)
    await bringSession(app, stored)
    // A session by URL works in the mirror of whoever takes it.
    const clone = app.repository.url === null ? undefined : app.clone
    const taken = await takeSession(app, stored.session, { isCrowded, clone })
    return () => running.launch(app, taken)
  } catch (error) {
    await app.close()
    if (error instanceof Fault && error.code === 'busy') return null
    throw error
  }
}

/** Looked at before anything is opened; whoever takes the session looks again, with everybody else kept out. */
async function hasEnough(
  { store }: SessionWorkerParts,
  { id, repository_id: repositoryId }: Session,
  isCrowded: (owners: readonly string[]) => boolean,
): Promise<boolean> {
  const open = await store.sessions.heads({ repositoryId, status: ['running'], limit: mostLooked })
  return isCrowded(open.flatMap((head) => (head.owner === null || head.id === id ? [] : [head.owner])))
}

const mostLooked = 1_000

/** A place of the repository is free: the sessions that wait longest for it are told. */
async function sendWaiting(parts: SessionWorkerParts, { repositoryId }: SessionEntry): Promise<void> {
  const { store, queue, perRepository, onError } = parts
  const waiting = await store.sessions.heads({ repositoryId, status: ['pending'], limit: mostLooked })
  for (const { id } of waiting.toReversed().slice(0, perRepository))
    await sendSession({ store, queue }, { id, repository_id: repositoryId }).catch((error: unknown) =>
      onError(error, id),
    )
}

/** Lets another process try what this one could not begin; after the last one, a person has to look. */
async function handBack(parts: SessionWorkerParts, job: SessionEntry, fault: Fault): Promise<void> {
  const stored = await parts.store.sessions.load(job.sessionId)
  if (!stored || isOver(stored.session)) return
  if (isDriven(parts.store, stored.session) && !isLostHere(stored.session, parts.running)) return
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
  const taken = await store.sessions.take(session.id, {
    expectedOwner: session.owner,
    owner: createRunMark(home),
  })
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
