import type { AgentRun, FailureKind } from '../../model/agent/agent.ts'
import { isSettled, type Attempt } from '../../model/attempt/attempt.ts'
import type { SessionHalt } from '../../model/session/halt.ts'
import {
  addSpent,
  nothingSpent,
  spentBy,
  spentOn,
  withSpent,
  type Budget,
  type Spent,
} from '../../model/attempt/spending.ts'
import type { Agent, Clock } from '../ports.ts'
import type { Rest } from './slots.ts'

/** What all attempts of a session share: the providers' limits, the budget, and the reason to stop when there is one. */
export interface AgentLimits {
  /** Runs an agent, waiting out its provider's rate limits together with all other attempts; it rests for as long. */
  run(agent: Agent, work: () => Promise<AgentRun>, waiting: Waiting): Promise<AgentRun>
  /** Says why no agent may start any more; the first reason counts. */
  halt(halt: SessionHalt): void
  halted(): SessionHalt | null
  /** Aborted once the session is halted. */
  readonly haltSignal: AbortSignal
  /** Takes note of how a fixer's run ended: when everything fails in the same way, it halts. */
  noteEnding(attempt: Attempt, run: AgentRun): void
  /** What is left for a run that is for these issues; halts when the session's budget is used up. */
  allowance(asked: readonly Attempt[], all: readonly Attempt[]): Allowance
  /** The part of that which a run may use that begins now; all that are under way together never exceed what is left. */
  share(asked: readonly Attempt[], all: readonly Attempt[]): Share
  /** What the session has used up to now, also for what is not recorded yet or never will be. */
  spent(): Spent
}

/** How a run waits for its provider. */
export interface Waiting {
  /** Ends the waiting. */
  readonly signal: AbortSignal
  readonly rest?: Rest
}

export type Allowance =
  | { readonly allowed: true; readonly budgetUsd: number | null }
  | { readonly allowed: false; readonly reason: string }

export interface Share {
  /** Null without a budget. */
  readonly usd: number | null
  /** For when the run has ended, whatever it cost. */
  release(): void
}

/** Failures that another attempt would meet as well: they say something about the provider, not about the issue. */
const providerFailures: readonly FailureKind[] = ['auth', 'billing', 'quota', 'rate_limited', 'overloaded']
export const isProviderFailure = (run: AgentRun): boolean =>
  run.ending.ended === 'failed' && providerFailures.includes(run.ending.kind)

const firstWaitMs = 2_000
const longestWaitMs = 60_000
/** Told to wait longer than this, a session parks instead. */
const patienceMs = 10 * 60_000
/** This many issues failing in the same way, and none that did not, is not about the issues. */
const breakerIssues = 5

export interface Usage {
  /** What the session had used when it was taken up. */
  readonly before?: Spent
  /** How many runs there may be at once. */
  readonly places?: number
}

export function createLimits(
  budget: Budget,
  clock: Clock,
  { before = nothingSpent, places = 1 }: Usage = {},
): AgentLimits {
  const stopped = new AbortController()
  let halted: SessionHalt | null = null
  const freeAt = new Map<string, number>()
  const alike = new Map<string, Set<string>>()
  let hasFinished = false
  let spent = before
  const underway = new Set<{ readonly usd: number }>()
  const halt = (reason: SessionHalt): void => {
    halted ??= reason
    stopped.abort()
  }
  const isUsedUp = (all: Spent): string | null => {
    const reason = overBudget(all, budget.session)
    if (reason) halt({ kind: 'budget', reason: `the session has used ${reason}`, until: null })
    return reason
  }
  const usedBy = (attempts: readonly Attempt[]): Spent => {
    const recorded = sumOf(attempts)
    return { usd: Math.max(spent.usd, recorded.usd), tokens: Math.max(spent.tokens, recorded.tokens) }
  }
  const allowance: AgentLimits['allowance'] = (asked, attempts) => {
    const all = usedBy(attempts)
    const reason = isUsedUp(all)
    if (reason) return { allowed: false, reason }
    const own = sumOf(asked)
    const bound = timesOf(budget.issue, asked.length)
    const over = overBudget(own, bound)
    if (over) return { allowed: false, reason: `this issue has used ${over}` }
    const left = [
      budget.session.usd === null ? null : budget.session.usd - all.usd,
      bound.usd === null ? null : bound.usd - own.usd,
    ].filter((usd) => usd !== null)
    return { allowed: true, budgetUsd: left.length > 0 ? Math.min(...left) : null }
  }
  /** What the session has left, in equal parts for this run and for those that may begin beside it. */
  const equalPart = (sessionUsd: number, attempts: readonly Attempt[]): number => {
    const promised = [...underway].reduce((sum, { usd }) => sum + usd, 0)
    const free = Math.min(places, attempts.filter((one) => !isSettled(one)).length) - underway.size
    return Math.max(0, sessionUsd - usedBy(attempts).usd - promised) / Math.max(1, free)
  }
  return {
    haltSignal: stopped.signal,
    spent: () => spent,
    halted: () => halted,
    halt,
    async run(agent, work, { signal, rest = (wait) => wait() }) {
      const provider = agent.family ?? agent.name
      let waited = 0
      let tried: Spent = nothingSpent
      for (let tries = 0; ; tries += 1) {
        const at = freeAt.get(provider) ?? 0
        if (at > clock.now()) waited += await rest(() => waitUntil(at, clock, signal))
        const last = await work()
        spent = addSpent(spent, spentBy(last))
        const run = withSpent(last, tried)
        const wait = isUsedUp(spent) || signal.aborted ? null : waitAfter(run, tries, clock.now())
        if (wait === null || waited + wait > patienceMs) return run
        tried = spentBy(run)
        freeAt.set(provider, Math.max(freeAt.get(provider) ?? 0, clock.now() + wait))
      }
    },
    noteEnding(attempt, { ending, agent }) {
      if (ending.ended === 'finished') hasFinished = true
      else if (ending.kind === 'crashed' || ending.kind === 'malformed') {
        const key = `${agent} ${ending.kind}: ${ending.message.split('\n')[0] ?? ''}`
        const issues = (alike.get(key) ?? new Set()).add(attempt.issue_code)
        alike.set(key, issues)
        if (!hasFinished && issues.size >= breakerIssues)
          halt({
            kind: 'breaker',
            reason: `${issues.size} issues in a row failed in the same way (${key})`,
            until: null,
          })
      }
    },
    allowance,
    share(asked, attempts) {
      const left = allowance(asked, attempts)
      const most = left.allowed ? left.budgetUsd : 0
      if (most === null || budget.session.usd === null) return { usd: most, release: () => undefined }
      const promise = { usd: Math.min(most, equalPart(budget.session.usd, attempts)) }
      underway.add(promise)
      return { usd: promise.usd, release: () => void underway.delete(promise) }
    },
  }
}

/** For what is asked outside of a session: the providers' limits hold, nothing is budgeted. */
export const unlimited = (clock: Clock): AgentLimits =>
  createLimits({ session: { usd: null, tokens: null }, issue: { usd: null, tokens: null } }, clock)

const sumOf = (attempts: readonly Attempt[]): Spent => attempts.map(spentOn).reduce(addSpent, nothingSpent)

/** Issues that share a run put together what each may use. */
const timesOf = ({ usd, tokens }: Budget['issue'], count: number): Budget['issue'] => ({
  usd: usd === null ? null : usd * count,
  tokens: tokens === null ? null : tokens * count,
})

function overBudget(spent: Spent, budget: Budget['session']): string | null {
  if (budget.usd !== null && spent.usd >= budget.usd)
    return `$${spent.usd.toFixed(2)} of its $${budget.usd.toFixed(2)}`
  if (budget.tokens !== null && spent.tokens >= budget.tokens)
    return `${spent.tokens} of its ${budget.tokens} tokens`
  return null
}

/** How long to wait before the same run is tried again; null when waiting would not help. */
function waitAfter({ ending }: AgentRun, tries: number, now: number): number | null {
  if (ending.ended === 'finished') return null
  if (!['rate_limited', 'overloaded', 'quota'].includes(ending.kind)) return null
  const pause = Math.min(longestWaitMs, firstWaitMs * 2 ** tries)
  const resetAt = ending.reset_at === null ? Number.NaN : Date.parse(ending.reset_at)
  if (Number.isNaN(resetAt)) return ending.kind === 'quota' ? null : pause
  // Who was there at the named time and is sent away again is told nothing by another such time.
  return Math.max(tries === 0 ? 0 : pause, resetAt - now)
}

async function waitUntil(at: number, clock: Clock, signal: AbortSignal): Promise<number> {
  // Nothing is ever put off for longer than this; a clock that was set back must not make it so.
  const ms = Math.min(at - clock.now(), patienceMs)
  if (ms <= 0) return 0
  await clock.wait(ms, signal)
  return ms
}

/** Why a session cannot go on after the last agent of a role failed like this; null when it is the issue's own failure. */
export function haltFor({ agent, ending }: AgentRun): SessionHalt | null {
  if (ending.ended === 'finished') return null
  const reason = `${agent}: ${ending.message}`
  switch (ending.kind) {
    case 'billing':
      return { kind: 'billing', reason, until: null }
    case 'auth':
      return { kind: 'auth', reason, until: null }
    case 'quota':
    case 'rate_limited':
    case 'overloaded':
      return { kind: 'quota', reason, until: ending.reset_at }
    default:
      return null
  }
}
