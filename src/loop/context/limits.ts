import type { AgentRun, FailureKind } from '../../model/agent/agent.ts'
import { isSettled, type Attempt } from '../../model/attempt/attempt.ts'
import { expectedRest, expectedRests, knownCosts } from '../../model/attempt/expected-cost.ts'
import type { AttemptId } from '../../model/id.ts'
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
  /** Runs an agent, waiting out its provider's limits together with all other attempts, as long as patience lasts; it rests meanwhile. */
  run(agent: Agent, work: () => Promise<AgentRun>, waiting: Waiting): Promise<AgentRun>
  /** Whether patience with the provider of this agent was lost a moment ago: another agent is asked instead, where there is one. */
  isGivenUp(agent: Agent): boolean
  /** Says why no agent may start any more; the first reason counts. */
  halt(halt: SessionHalt): void
  /** Halts after the last agent of a role failed like this; false when it is the issue's own failure. */
  haltAfter(run: AgentRun): boolean
  halted(): SessionHalt | null
  /** Aborted once the session is halted. */
  readonly haltSignal: AbortSignal
  /** Takes note of how a fixer's run ended: when everything fails in the same way, it halts. */
  noteEnding(attempt: Attempt, run: AgentRun): void
  /** What is left for a run that is for these issues; halts when the session's budget is used up. */
  allowance(asked: readonly Attempt[], all: readonly Attempt[]): Allowance
  /** The part of that which a run may use that begins now; all that are under way together never exceed what is left. */
  share(asked: readonly Attempt[], all: readonly Attempt[]): Share
  /** How many attempts may begin besides those that have: the money left must cover the rest of all of them. Halts when none could ever begin. */
  affordable(attempts: readonly Attempt[], begun: ReadonlySet<AttemptId>): number
  /** Takes note of what a run has used so far, until it ends. */
  noteUsage(key: string, used: Spent): void
  /** What the session has used up to now, also for what is not recorded yet or never will be. */
  spent(): Spent
}

/** How a run waits for its provider. */
export interface Waiting {
  /** Ends the waiting. */
  readonly signal: AbortSignal
  readonly rest?: Rest
  /** By what name its use is noted while it runs. */
  readonly key?: string
  /** Told before each wait. */
  readonly onWait?: (wait: ProviderWait) => Promise<void>
}

/** A wait that begins now. */
export interface ProviderWait {
  readonly agent: string
  readonly kind: FailureKind
  readonly reason: string
  readonly now: number
  readonly until: number
  readonly givesUpAt: number
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
const providerFailures: readonly FailureKind[] = [
  'auth',
  'billing',
  'quota',
  'rate_limited',
  'overloaded',
  'model_not_found',
  'tools_unavailable',
]
export const isProviderFailure = ({ ending }: AgentRun): boolean =>
  ending.ended === 'failed' && providerFailures.includes(ending.kind)

/** Whether another agent may do what this one could not, while asking this one again would not help. */
export const isAnothersTurn = (run: AgentRun): boolean =>
  isProviderFailure(run) || (run.ending.ended === 'failed' && run.ending.kind === 'too_long')

const firstWaitMs = 2_000
const longestWaitMs = 60_000
const defaultPatienceMs = 2 * 60_000
/** A provider that patience was lost with is asked again after so many times of it. */
const pausesAfterPatience = 5
/** This many issues failing in the same way, and none that did not, is not about the issues. */
const breakerIssues = 5

export interface Usage {
  /** What the session had used when it was taken up. */
  readonly before?: Spent
  /** How many runs there may be at once. */
  readonly places?: number
  /** How long a provider is waited for before the next agent of the role is asked, or the session rests. */
  readonly patienceMs?: number
  /** Told whenever more is used, with what runs have used that are still under way. */
  readonly onSpent?: (spent: Spent) => void
}

export function createLimits(
  budget: Budget,
  clock: Clock,
  {
    before = nothingSpent,
    places = 1,
    patienceMs = defaultPatienceMs,
    onSpent = () => undefined,
  }: Usage = {},
): AgentLimits {
  const stopped = new AbortController()
  let halted: SessionHalt | null = null
  const freeAt = new Map<string, number>()
  const givenUpUntil = new Map<string, number>()
  const refusals = new Map<string, Refusal>()
  const alike = new Map<string, Set<string>>()
  let hasFinished = false
  let spent = before
  const live = new Map<string, Spent>()
  const tellSpent = (): void => onSpent([...live.values()].reduce(addSpent, spent))
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
    noteUsage(key, used) {
      live.set(key, used)
      tellSpent()
    },
    halted: () => halted,
    halt,
    haltAfter(run) {
      const reason = haltFor(run, clock.now() + pausesAfterPatience * patienceMs)
      if (reason) halt(reason)
      return reason !== null
    },
    isGivenUp: (agent) => (givenUpUntil.get(providerOf(agent)) ?? 0) > clock.now(),
    async run(agent, work, { signal, key = '', rest = (wait) => wait(), onWait = async () => undefined }) {
      const provider = providerOf(agent)
      let waited = 0
      let tried: Spent = nothingSpent
      const waitFor = async ({ kind, reason }: Refusal): Promise<void> => {
        const [now, until] = [clock.now(), freeAt.get(provider) ?? 0]
        if (until <= now) return
        const givesUpAt = now + patienceMs - waited
        await onWait({ agent: agent.name, kind, reason, now, until, givesUpAt })
        waited += await rest(() => waitUntil(until, clock, { signal, mostMs: patienceMs }))
      }
      await waitFor(refusals.get(provider) ?? unknownRefusal)
      for (let tries = 0; ; tries += 1) {
        const begunAt = clock.now()
        const last = await work()
        spent = addSpent(spent, spentBy(last))
        live.delete(key)
        tellSpent()
        const run = { ...withSpent(last, tried), ...(waited > 0 && { waited_ms: Math.round(waited) }) }
        const wait = isUsedUp(spent) || signal.aborted ? null : waitAfter(run, tries, clock.now())
        if (wait === null) return run
        // A run that never got through was nothing but waiting, inside of the agent. A clock may have been set back.
        if (last.tokens === 0) waited += Math.max(0, clock.now() - begunAt)
        if (waited + wait > patienceMs) {
          givenUpUntil.set(provider, clock.now() + Math.max(wait, pausesAfterPatience * patienceMs))
          return run
        }
        tried = spentBy(run)
        freeAt.set(provider, Math.max(freeAt.get(provider) ?? 0, clock.now() + wait))
        const refusal = refusalOf(run)
        refusals.set(provider, refusal)
        await waitFor(refusal)
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
    affordable(attempts, begun) {
      const limit = budget.session.usd
      const queued = attempts.filter(({ id, stage }) => stage === 'queued' && !begun.has(id))
      if (limit === null || queued.length === 0) return Number.POSITIVE_INFINITY
      const used = usedBy(attempts)
      if (isUsedUp(used)) return 0
      const known = knownCosts(attempts)
      const rest = expectedRests(
        attempts.filter((attempt) => !queued.includes(attempt)),
        known,
      )
      const one = Math.max(...queued.map((attempt) => expectedRest(attempt, known)))
      const count = one === 0 ? Number.POSITIVE_INFINITY : Math.floor((limit - used.usd - rest) / one + 1e-9)
      if (count > 0 || rest > 0 || begun.size > 0) return Math.max(0, count)
      // Nobody knows before the first run whether it is too little.
      if (known.fix === null) return 1
      const left = `$${(limit - used.usd).toFixed(2)} of $${limit.toFixed(2)}`
      const reason = `${left} left, and another fix costs about $${one.toFixed(2)} with its challenge`
      halt({ kind: 'budget', reason, until: null })
      return 0
    },
    allowance,
    share(asked, attempts) {
      const left = allowance(asked, attempts)
      const most = left.allowed ? left.budgetUsd : 0
      if (most === null || budget.session.usd === null) return { usd: most, release: () => undefined }
      const part = Math.min(most, equalPart(budget.session.usd, attempts))
      // What is left of its part pays for its challenge.
      const promise = { usd: Math.max(part / 2, part - (knownCosts(attempts).challenge ?? 0)) }
      underway.add(promise)
      return { usd: promise.usd, release: () => void underway.delete(promise) }
    },
  }
}

const providerOf = ({ family, name }: Agent): string => family ?? name

/** Why a provider let nobody in the last time. */
type Refusal = Pick<ProviderWait, 'kind' | 'reason'>
const unknownRefusal: Refusal = { kind: 'rate_limited', reason: 'it let nobody in a moment ago' }
const refusalOf = ({ ending }: AgentRun): Refusal =>
  ending.ended === 'failed' ? { kind: ending.kind, reason: ending.message } : unknownRefusal

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

async function waitUntil(
  at: number,
  clock: Clock,
  { signal, mostMs }: { readonly signal: AbortSignal; readonly mostMs: number },
): Promise<number> {
  // Nothing is ever put off for longer than this; a clock that was set back must not make it so.
  const ms = Math.min(at - clock.now(), mostMs)
  if (ms <= 0) return 0
  await clock.wait(ms, signal)
  return ms
}

/** Why a session cannot go on after the last agent of a role failed like this; null when it is the issue's own failure. */
function haltFor({ agent, ending }: AgentRun, againAt: number): SessionHalt | null {
  if (ending.ended === 'finished') return null
  const reason = `${agent}: ${ending.message}`
  switch (ending.kind) {
    case 'billing':
      return { kind: 'billing', reason, until: null }
    case 'auth':
      return { kind: 'auth', reason, until: null }
    case 'model_not_found':
    case 'tools_unavailable':
      return { kind: ending.kind, reason, until: null }
    case 'quota':
      return { kind: 'quota', reason, until: ending.reset_at }
    case 'rate_limited':
    case 'overloaded':
      return { kind: ending.kind, reason, until: ending.reset_at ?? new Date(againAt).toISOString() }
    default:
      return null
  }
}
