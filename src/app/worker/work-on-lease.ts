import { runAttempt } from '../../loop/attempt/run-attempt.ts'
import { createLimits, type AgentLimits } from '../../loop/context/limits.ts'
import { createRecorder } from '../../loop/context/recorder.ts'
import type { SessionContext } from '../../loop/context/session-context.ts'
import type { LeaseStore, Ports, StoredSession } from '../../loop/ports.ts'
import { nothingSpent, type Spent } from '../../model/attempt/spending.ts'
import { Fault } from '../../model/fault.ts'
import type { HeldLease, LeaseEnd } from '../../model/session/attempt-lease.ts'
import { spentInSession } from '../../model/session/spent-in-session.ts'
import { bringSession } from '../carry/carry-objects.ts'
import { withCommands } from '../fix/stored-session.ts'
import type { SessionRoom } from './session-rooms.ts'

export interface TakenLease extends StoredSession {
  readonly held: HeldLease
}

export type LeaseSignals = Pick<SessionContext, 'stopStarting' | 'endNow'>

/** Works on one attempt with the very driver of attempts that a session has, and says how that ended. */
export async function workOnLease(
  { held, session: stored, attempts }: TakenLease,
  room: SessionRoom,
  signals: LeaseSignals,
): Promise<LeaseEnd> {
  const { app, ports } = room
  const { leases } = app.store
  const attempt = attempts.find(({ id }) => id === held.attemptId)
  const lease = (await leases.read(held.attemptId))?.lease
  if (!attempt || !lease) throw new Fault('busy', `${held.attemptId} was taken back`)
  await bringSession(app, { session: stored, attempts: [attempt] })
  const session = withCommands(stored, app.loaded.config.verify.commands)
  const before = spentInSession(session, attempts)
  const limits = limitsOf(session, { before, shareUsd: lease.share_usd, ports, held, leases })
  const issues = new Map((await ports.issues.get(session.issue_ids)).map((issue) => [issue.id, issue]))
  // Nothing that can fail stands between this and the `try`: nobody would end the watch.
  const wishes = watchWishes(leases, held)
  let fixer: LeaseEnd['fixer'] = null
  const context: SessionContext = {
    ...room,
    recorder: createRecorder({ session, attempts }, { ...ports, sessions: leasedBy(held, ports) }),
    issues,
    limits: {
      ...limits,
      noteEnding: (_attempt, { agent, ending }) => void (fixer = { agent, ending }),
    },
    hands: { attemptsPerAgent: 1, work: runAttempt },
    isHandedOn: true,
    stopStarting: AbortSignal.any([signals.stopStarting, wishes.stop]),
    endNow: AbortSignal.any([signals.endNow, wishes.end]),
  }
  try {
    await runAttempt(attempt, context)
    return { halt: limits.halted(), refusal: null, fixer }
  } finally {
    wishes.close()
  }
}

/** Every write shows the lease: it is refused once the attempt is somebody else's. */
const leasedBy = (
  lease: HeldLease,
  { sessions }: Pick<Ports, 'sessions'>,
): Pick<Ports['sessions'], 'record'> => ({
  record: ({ owner: _driver, ...change }) => sessions.record({ ...change, lease }),
})

interface Spending {
  readonly before: Spent
  readonly shareUsd: number | null
  readonly ports: Pick<Ports, 'clock'>
  readonly held: HeldLease
  readonly leases: LeaseStore
}

/** The session's own limits, but for the money: of that there is what the driver gave. */
function limitsOf(
  { options }: StoredSession['session'],
  { before, shareUsd, ports, held, leases }: Spending,
): AgentLimits {
  const { budget_tokens: tokens = null, patience_ms: patienceMs } = options
  const issue = { usd: options.issue_budget_usd ?? null, tokens: options.issue_budget_tokens ?? null }
  const usd = shareUsd === null ? null : before.usd + shareUsd
  return createLimits({ session: { usd, tokens }, issue }, ports.clock, {
    before,
    onSpent: reportSpending(leases, held, before),
    ...(patienceMs !== undefined && { patienceMs }),
  })
}

/** Reports to the driver what was used so far, one write at a time. */
function reportSpending(leases: LeaseStore, held: HeldLease, before: Spent): (all: Spent) => void {
  let next: Spent | null = null
  let isWriting = false
  const write = async (): Promise<void> => {
    isWriting = true
    for (let spent = next; spent !== null; spent = next) {
      next = null
      const now = spent
      // What cannot be reported now is reported with the next use, or found in the rows.
      await leases.change(held, (lease) => ({ ...lease, spent: now })).catch(() => false)
    }
    isWriting = false
  }
  return (all) => {
    next = { usd: all.usd - before.usd, tokens: all.tokens - before.tokens }
    if (next.usd === nothingSpent.usd && next.tokens === nothingSpent.tokens) next = null
    if (next && !isWriting) void write()
  }
}

const lookEveryMs = 500

/** What the driver wants meanwhile; a lease that is not the newest any more ends the work at once. */
function watchWishes(leases: LeaseStore, { attemptId, number }: HeldLease) {
  const [stop, end] = [new AbortController(), new AbortController()]
  const look = async (): Promise<void> => {
    const now = await leases.read(attemptId)
    const wish = now?.number === number ? now.lease.wish : 'end'
    if (wish !== 'go_on') stop.abort('the driver asked for it')
    if (wish === 'end') end.abort()
  }
  // A store that cannot be read now is read again in a moment; if it stays so, the attempt itself fails.
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs)
  return { stop: stop.signal, end: end.signal, close: () => clearInterval(timer) }
}
