import type { Attempt } from '../../model/attempt/attempt.ts'
import { addSpent, nothingSpent, spentOn, type Spent } from '../../model/attempt/spending.ts'
import type { AttemptId, SessionId } from '../../model/id.ts'
import { progressOfAttempt, type AttemptLease, type StoredLease } from '../../model/session/attempt-lease.ts'
import { runAttempt } from '../attempt/run-attempt.ts'
import { stepOf } from '../context/recorder.ts'
import type { Hands, SessionContext } from '../context/session-context.ts'
import type { Clock, LeaseStore, Queue, StoredSession } from '../ports.ts'

/** Whom a driver gives attempts to, and how it learns what becomes of them. */
export interface HandOutParts {
  readonly leases: LeaseStore
  readonly queue: Pick<Queue, 'send'>
  /** Calls the listener with a session's id, or an empty text, when something was written; gives back what ends it. */
  readonly watch: (listener: (sessionId: string) => void) => () => void
  /** Whether a worker has not been heard of for too long. */
  readonly isGone: (owner: string) => Promise<boolean>
  /** Ends what a worker that is gone or frozen has left at work, where that is here. */
  readonly endRunsOf: (owner: string) => Promise<void>
  /** Brings the trees and commits that these rows speak of: another machine may have made them. */
  readonly bring: (stored: StoredSession) => Promise<void>
  /** This process stops: attempts stay with whoever has them, and the next driver finds them there. */
  readonly isLeaving: () => boolean
  readonly clock: Clock
}

/** An attempt that so many workers in a row died of is not given to another one. */
const mostDeaths = 3
/** A job that nobody took for so long may have been lost; a worker may have lost what it took, too. */
const sendAgainMs = { waiting: 5_000, taken: 60_000 }
const lookMs = 1_000

export interface SharedHands extends Hands {
  /** Looks at nothing any more. */
  close(): void
}

/** Lets any worker work on the attempts of a session. What one agent does for several issues stays with the driver. */
export function createSharedHands(parts: HandOutParts, sessionId: SessionId): SharedHands {
  const { look, close } = createLook(parts, sessionId)
  return {
    attemptsPerAgent: 1,
    work: (attempt, context) =>
      context.recorder.session().options.strategy === 'isolated'
        ? handOut(attempt, context, { ...parts, look })
        : runAttempt(attempt, context),
    close,
  }
}

type Leases = ReadonlyMap<AttemptId, StoredLease>

interface Handing extends HandOutParts {
  /** The leases of the session, once something was written to it, or after a moment. */
  readonly look: (signal: AbortSignal) => Promise<Leases>
}

/** All attempts of a session wait for the same look. */
function createLook({ leases, watch, clock }: HandOutParts, id: SessionId) {
  let reading: Promise<Leases> | null = null
  let written = new AbortController()
  const unwatch = watch((session) => (session === '' || session === id) && written.abort())
  const read = async (signal: AbortSignal): Promise<Leases> => {
    await clock.wait(lookMs, AbortSignal.any([signal, written.signal]))
    // What is written from here on is seen by the next look.
    written = new AbortController()
    reading = null
    return new Map((await leases.ofSession(id)).map((lease) => [lease.attemptId, lease]))
  }
  const look: Handing['look'] = (signal) => (reading ??= read(signal))
  return { look, close: unwatch }
}

/** Gives an attempt out, and waits until it is given back; does what nobody else could by itself. */
async function handOut(attempt: Attempt, context: SessionContext, parts: Handing): Promise<void> {
  const { recorder, limits } = context
  const share = limits.share([attempt], recorder.attempts())
  if (limits.halted()) return share.release()
  try {
    const ended = await followLease(attempt, share.usd, { context, parts })
    if (ended === 'left') return
    const now = (await parts.leases.attempt(attempt.id)) ?? attempt
    await parts.bring({ session: recorder.session(), attempts: [now] })
    recorder.adopt(now)
    if (ended === 'deadly') {
      const reason = `${mostDeaths} workers in a row ended while they worked on it (${progressOfAttempt(now)})`
      await recorder.recordStep(stepOf(now, { type: 'stopped', outcome: 'not_evaluated', reason }))
      return
    }
    if (ended?.fixer) limits.noteEnding(now, ended.fixer)
    const isOver = ended?.halt?.kind === 'budget' || (ended?.refusal ?? null) !== null
    share.release()
    // What its share did not suffice for, or no worker could do, this process does with all that is left.
    if (isOver) return await runAttempt(now, context)
    if (ended?.halt) limits.halt(ended.halt)
  } finally {
    share.release()
  }
}

interface Following {
  readonly context: SessionContext
  readonly parts: Handing
}

type Given = AttemptLease['ended'] | 'left' | 'deadly'

/** Waits for the end of a lease, and gives the attempt out again whenever its worker died. */
async function followLease(
  attempt: Attempt,
  shareUsd: number | null,
  { context, parts }: Following,
): Promise<Given> {
  const known = await parts.leases.read(attempt.id)
  const isOut = known !== null && known.lease.ended === null
  let lease = isOut ? known.lease : newLease(attempt, shareUsd)
  if (!isOut) await offer(attempt, lease, { context, parts })
  // What stood in the rows when this process began to count is not counted again.
  const counted = minus(spentOn(attempt), lease.spent_before)
  let sentAt = isOut ? 0 : parts.clock.now()
  for (;;) {
    const now = (await parts.look(wakeOf(context))).get(attempt.id)
    if (parts.isLeaving()) return 'left'
    if (!now) return null
    lease = now.lease
    const spent = minus(lease.spent, counted)
    context.limits.noteUsage(attempt.id, spent)
    if (lease.ended) {
      context.limits.noteEnd(attempt.id, spent)
      return lease.ended
    }
    if (now.owner !== null && (await parts.isGone(now.owner))) {
      context.limits.noteEnd(attempt.id, spent)
      await parts.endRunsOf(now.owner)
      if (isStopping(context)) return null
      const next = afterDeath(lease, (await parts.leases.attempt(attempt.id)) ?? attempt)
      if (next.deaths >= mostDeaths) return 'deadly'
      await offer(attempt, next, { context, parts })
      sentAt = parts.clock.now()
    } else if (await passOnWish(attempt, now, { context, parts })) {
      if (now.owner === null) return null
    } else if (parts.clock.now() - sentAt > sendAgainMs[now.owner === null ? 'waiting' : 'taken']) {
      await send(attempt, { context, parts })
      sentAt = parts.clock.now()
    }
  }
}

const newLease = (attempt: Attempt, share_usd: number | null): AttemptLease => ({
  share_usd,
  wish: 'go_on',
  spent_before: spentOn(attempt),
  spent: nothingSpent,
  deaths: 0,
  progress: progressOfAttempt(attempt),
  ended: null,
})

/** Workers that die one after the other at the same place die of the attempt. */
function afterDeath(lease: AttemptLease, attempt: Attempt): AttemptLease {
  const progress = progressOfAttempt(attempt)
  const deaths = progress === lease.progress ? lease.deaths + 1 : 1
  return { ...newLease(attempt, lease.share_usd), deaths, progress }
}

async function offer(attempt: Attempt, lease: AttemptLease, following: Following): Promise<void> {
  const { id: sessionId, owner } = following.context.recorder.session()
  await following.parts.leases.offer({ sessionId, attemptId: attempt.id, owner: owner ?? '', lease })
  await send(attempt, following)
}

/** The more attempts a session has out, the later the turn of its next: sessions get equal shares. */
async function send(attempt: Attempt, { context, parts }: Following): Promise<void> {
  const { id: sessionId, repository_id: repositoryId } = context.recorder.session()
  const out = await parts.leases.ofSession(sessionId)
  const turn = out.filter(({ owner, lease }) => owner !== null && lease.ended === null).length
  await parts.queue.send({ sessionId, repositoryId, attemptId: attempt.id, refusals: 0 }, { turn })
}

const isStopping = ({ stopStarting, endNow, limits }: SessionContext): boolean =>
  stopStarting.aborted || endNow.aborted || limits.haltSignal.aborted

/** Wakes whoever waits as soon as something is wanted that was not passed on yet. */
const wakeOf = ({ stopStarting, endNow, limits }: SessionContext): AbortSignal =>
  AbortSignal.any([stopStarting, endNow, limits.haltSignal].filter(({ aborted }) => !aborted))

/** Asks whoever works on the attempt to stop, or to end now; false when nothing of that is wanted. */
async function passOnWish(
  { id: attemptId, session_id: sessionId }: Attempt,
  { number, lease }: StoredLease,
  { context, parts }: Following,
): Promise<boolean> {
  if (!isStopping(context)) return false
  const wish = context.endNow.aborted ? 'end' : 'stop'
  if (lease.wish !== wish)
    await parts.leases.change({ sessionId, attemptId, number }, (now) => ({ ...now, wish }))
  return true
}

const minus = (a: Spent, b: Spent): Spent => addSpent(a, { usd: -b.usd, tokens: -b.tokens })
