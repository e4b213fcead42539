import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { createRecorder } from '../../loop/context/recorder.ts'
import { createSharedSlots } from '../../loop/context/slots.ts'
import type { StoredSession } from '../../loop/ports.ts'
import type { SharedHands } from '../../loop/session/hand-out.ts'
import { approvalEvent, type ApprovalRequest } from '../fix/answer-approval.ts'
import { runCancellable, type DriveSignals } from '../fix/run-cancellable.ts'
import { isOwnProcess } from '../../adapters/process/run-mark.ts'
import { loadSession } from '../fix/stored-session.ts'
import type { App } from '../open-app.ts'
import { Fault, type FaultCode } from '../../model/fault.ts'
import type { AttemptId, SessionId } from '../../model/id.ts'
import { isOver, type Session } from '../../model/session/session.ts'
import { createAnswerQueue, type AnswerQueue } from './answer-queue.ts'

/** Kept with a session that was put down because its process stopped: the next one goes on with it. */
export const processStopped = 'the server stopped'

/** Kept with a session whose process lost the database for a while: the next process that reaches it goes on. */
export const databaseLost = 'the database could not be reached'

/** The same for the place that keeps artifacts. */
export const artifactsLost = 'artifacts could not be kept or read'

const lostServices: Partial<Record<FaultCode, string>> = {
  store_unreachable: databaseLost,
  artifacts_unreachable: artifactsLost,
}

export interface RoundAnswer {
  /** The round that was asked about. */
  readonly round: number
  readonly answer: ApprovalRequest['answer']
  /** Who answers. */
  readonly by: string
}

/** The sessions that this process drives right now. */
export interface RunningSessions {
  has(id: string): boolean
  ids(): readonly SessionId[]
  /** Refuses whatever would begin once this process is stopping. */
  refuseLate(): void
  /** Drives a session until it rests, whoever listens; closes the application then. */
  launch(app: App, stored: StoredSession): Promise<void>
  /** Ends a session now and waits until it rests; nothing happens when it does already. */
  end(id: SessionId, reason: string): Promise<void>
  /** Begins nothing new in a session, and on a second request ends what runs; false when it does not run here. */
  putDown(id: SessionId, reason: string): boolean
  /** Gives a person's answer to a session as it runs; false when nothing waits for it, or not any more. */
  answer(id: SessionId, attemptId: AttemptId, answer: RoundAnswer): Promise<boolean>
  /** Puts every session down so that the next process goes on with it: running steps get the grace to finish. */
  stopAll(graceMs: number): Promise<void>
}

interface Run {
  readonly id: SessionId
  readonly stopStarting: AbortController
  readonly endNow: AbortController
  readonly inbox: AnswerQueue
  readonly done: Promise<void>
}

/** All sessions together, unless one alone may have more: agents mostly wait for their models. */
export const agentsAtOnce = 2 * availableParallelism()

type OnError = (error: unknown, sessionId: SessionId) => void

/** Makes the hands of a session: this process alone where there is none. */
export type MakeHands = (app: App, id: SessionId, isLeaving: () => boolean) => SharedHands

export function createRunningSessions(onError: OnError, makeHands?: MakeHands): RunningSessions {
  const runs = new Map<string, Run>()
  const sharedSlots = createSharedSlots(agentsAtOnce)
  let isStopping = false
  return {
    has: (id) => runs.has(id),
    ids: () => [...runs.values()].map(({ id }) => id),
    refuseLate() {
      if (isStopping) throw stoppingNow()
    },
    launch(app, stored) {
      const { id } = stored.session
      const [stopStarting, endNow] = [new AbortController(), new AbortController()]
      const inbox = createAnswerQueue()
      const hands = makeHands?.(app, id, () => isStopping)
      const signals: DriveSignals = {
        stopStarting: stopStarting.signal,
        endNow: endNow.signal,
        inbox,
        sharedSlots,
        ...(hands && { hands }),
        onAnswer: ({ attempt_id, ...answer }) => void putAnswer(inbox, attempt_id, answer),
      }
      const done = drive(app, stored, { signals, onError }).then(async () => {
        runs.delete(id)
        inbox.close()
        hands?.close()
        await app.close()
      })
      runs.set(id, { id, stopStarting, endNow, inbox, done })
      if (isStopping) stopStarting.abort(processStopped)
      return done
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
    answer: async (id, attemptId, answer) => putAnswer(runs.get(id)?.inbox, attemptId, answer),
    async stopAll(graceMs) {
      isStopping = true
      await stopRuns(runs, graceMs)
    },
  }
}

const stoppingNow = (): Fault =>
  new Fault('busy', 'this process is stopping', { hint: 'Try again when it is back.' })

const putAnswer = async (
  inbox: AnswerQueue | undefined,
  attemptId: AttemptId,
  { round, answer, by }: RoundAnswer,
): Promise<boolean> =>
  (await inbox?.put({ attemptId, round, eventFor: (attempt) => approvalEvent(attempt, answer, by) })) ?? false

function stopHarder(run: Run | undefined, reason: string): void {
  if (run?.stopStarting.signal.aborted) run.endNow.abort()
  else run?.stopStarting.abort(reason)
}

async function stopRuns(runs: ReadonlyMap<string, Run>, graceMs: number): Promise<void> {
  runs.forEach(({ stopStarting }) => stopStarting.abort(processStopped))
  const hurry = globalThis.setTimeout(() => runs.forEach(({ endNow }) => endNow.abort()), graceMs)
  while (runs.size > 0) await Promise.all([...runs.values()].map(({ done }) => done))
  clearTimeout(hurry)
}

interface Driving {
  readonly signals: DriveSignals
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
    const reason = `${(error instanceof Fault && lostServices[error.code]) || 'interrupted'}: ${why}`
    await releaseOnceReached(app, id, reason).catch((failure: unknown) => onError(failure, id))
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'store_unreachable'

const releaseTries = 300
const releaseAgainMs = 1_000

/** A database that cannot be reached now is tried again: until the row is written, others believe that this process still drives the session. */
async function releaseOnceReached(app: App, id: SessionId, reason: string): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await release(app, id, reason)
    } catch (error) {
      if (!isUnreachable(error) || tries === releaseTries) throw error
      await setTimeout(releaseAgainMs)
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
