import { createRunMark, isOwnProcess } from '../../adapters/process/run-mark.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { SessionEntry, QueueTaker, Queue } from '../../loop/ports.ts'
import { asFault, Fault } from '../../model/fault.ts'
import type { AttemptId, SessionId } from '../../model/id.ts'
import type { HeldLease, LeaseEnd } from '../../model/session/attempt-lease.ts'
import type { Session } from '../../model/session/session.ts'
import type { App } from '../open-app.ts'
import type { Listener } from '../publisher.ts'
import { createSessionRooms, type SessionRooms } from './session-rooms.ts'
import { workOnLease } from './work-on-lease.ts'

export interface AttemptWorkerParts {
  readonly home: string
  readonly store: Store
  readonly queue: Queue
  /** Opens the application on the repository of a session; the worker closes it. */
  readonly openFor: (session: Session) => Promise<App>
  readonly publish: Listener
  readonly onError: (error: unknown, sessionId: SessionId) => void
  /** How often an attempt that this process cannot begin is handed to another one, before its driver gets it back. */
  readonly handBacks: number
}

export interface AttemptWorker {
  ids(): readonly AttemptId[]
  /** Takes nothing more, gives running steps the grace to finish, and gives the attempts back. */
  stop(graceMs: number): Promise<void>
}

interface Stopping {
  readonly stopStarting: AbortController
  readonly endNow: AbortController
}

/** Takes attempts that drivers gave out, and works on each until it rests. */
export async function startAttemptWorker(parts: AttemptWorkerParts, atOnce: number): Promise<AttemptWorker> {
  const running = new Set<AttemptId>()
  const stopping: Stopping = { stopStarting: new AbortController(), endNow: new AbortController() }
  const rooms = createSessionRooms(parts)
  const taker: QueueTaker = await parts.queue.work({
    kind: 'attempts',
    atOnce,
    async handle(job) {
      const { attemptId } = job
      if (attemptId === undefined || running.has(attemptId) || stopping.stopStarting.signal.aborted) return
      running.add(attemptId)
      await handleJob({ ...job, attemptId }, { ...parts, rooms, stopping }).finally(() =>
        running.delete(attemptId),
      )
    },
  })
  return {
    ids: () => [...running],
    async stop(graceMs) {
      stopping.stopStarting.abort('the worker stops')
      const hurry = setTimeout(() => stopping.endNow.abort(), graceMs)
      await taker.stop()
      clearTimeout(hurry)
      await rooms.close()
    },
  }
}

interface Handling extends AttemptWorkerParts {
  readonly rooms: SessionRooms
  readonly stopping: Stopping
}

const handBackMs = 2_000

type AttemptJob = SessionEntry & { readonly attemptId: AttemptId }

async function handleJob(job: AttemptJob, parts: Handling): Promise<void> {
  const { store, rooms, onError, stopping } = parts
  const found = await store.leases.read(job.attemptId)
  // One that somebody else has is its driver's concern, also when that somebody is gone.
  if (!found || found.lease.ended || (found.owner !== null && !isOwnProcess(found.owner))) return
  const offered = { sessionId: job.sessionId, attemptId: job.attemptId, number: found.number }
  try {
    await rooms.within(job.sessionId, async (room) => {
      const taken = await store.leases.take(offered, createRunMark(parts.home))
      if (!taken) return
      const signals = { stopStarting: stopping.stopStarting.signal, endNow: stopping.endNow.signal }
      const ended = await workOnLease(taken, room, signals).catch((error: unknown) =>
        refusalOf(error, parts, job),
      )
      if (ended) await giveBack(taken.held, ended, parts)
    })
  } catch (error) {
    onError(error, job.sessionId)
    if (job.refusals < parts.handBacks)
      return parts.queue.send({ ...job, refusals: job.refusals + 1 }, { delayMs: handBackMs })
    await giveBack(offered, { halt: null, refusal: asFault(error).message, fixer: null }, parts)
  }
}

/** Why the driver has to go on with the attempt itself; null when it is somebody else's by now. */
function refusalOf(error: unknown, { onError }: Handling, { sessionId }: AttemptJob): LeaseEnd | null {
  onError(error, sessionId)
  if (error instanceof Fault && error.code === 'busy') return null
  return { halt: null, refusal: asFault(error).message, fixer: null }
}

const tries = 300
const againMs = 1_000

/** A database that cannot be reached now is tried again: until it is told, the driver believes that this process works on it. */
async function giveBack(held: HeldLease, ended: LeaseEnd, { store }: Pick<Handling, 'store'>): Promise<void> {
  for (let count = 1; ; count += 1)
    try {
      await store.leases.change(held, (lease) => ({ ...lease, ended }))
      return
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'store_unreachable' || count === tries) throw error
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
}
