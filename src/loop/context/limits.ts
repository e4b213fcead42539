import type { AgentRun, FailureKind } from '../../model/agent/agent.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import { nothingSpent, type Budget } from '../../model/attempt/spending.ts'
import type { SessionHalt } from '../../model/session/halt.ts'
import type { Agent, Clock } from '../ports.ts'
import type { WatchedRun } from './own-waits.ts'
import { createProviderWaits, type ProviderWaits, type Waiting } from './provider-waits.ts'
import { createSessionBudget, type BudgetOptions, type SessionBudget } from './session-budget.ts'

/** What all attempts of a session share: the providers' limits, the budget, and the reason to stop when there is one. */
export interface AgentLimits extends SessionBudget, Pick<ProviderWaits, 'isGivenUp'> {
  /** Runs an agent, waiting out its provider's limits together with all other attempts, as long as patience lasts; it rests meanwhile. */
  run(agent: Agent, work: (watched: WatchedRun) => Promise<AgentRun>, waiting: Waiting): Promise<AgentRun>
  /** Says why no agent may start any more; the first reason counts. */
  halt(halt: SessionHalt): void
  /** Halts after the last agent of a role failed like this; false when it is the issue's own failure. */
  haltAfter(run: AgentRun): boolean
  halted(): SessionHalt | null
  /** Aborted once the session is halted. */
  readonly haltSignal: AbortSignal
  /** Notes how a fixer's run ended; halts when every run fails in the same way. */
  noteEnding(attempt: Attempt, run: Pick<AgentRun, 'agent' | 'ending'>): void
}

export interface LimitOptions extends Partial<Omit<BudgetOptions, 'halt'>> {
  /** How long to wait for a provider before the next agent of the role is asked, or the session rests. */
  readonly patienceMs?: number
}

const defaultPatienceMs = 2 * 60_000

export function createLimits(
  budget: Budget,
  clock: Clock,
  {
    before = nothingSpent,
    places = 1,
    patienceMs = defaultPatienceMs,
    onSpent = () => undefined,
  }: LimitOptions = {},
): AgentLimits {
  const stopped = new AbortController()
  let halted: SessionHalt | null = null
  const halt = (reason: SessionHalt): void => {
    halted ??= reason
    stopped.abort()
  }
  const money = createSessionBudget(budget, { before, places, onSpent, halt })
  const waits = createProviderWaits(clock, patienceMs)
  return {
    ...money,
    isGivenUp: waits.isGivenUp,
    haltSignal: stopped.signal,
    halted: () => halted,
    halt,
    haltAfter(run) {
      const reason = haltFor(run, waits.askedAgainAt())
      if (reason) halt(reason)
      return reason !== null
    },
    run: (agent, start, waiting) =>
      waits.run(
        agent,
        { start, mayTryAgain: (used) => !money.noteEnd(waiting.key ?? '', used).isUsedUp },
        waiting,
      ),
    noteEnding: createBreaker(halt),
  }
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

/** When this many issues fail in the same way and no issue does otherwise, the issues are not the cause. */
const breakerIssues = 5

/** Halts when many issues fail in the same way before any fixer has finished. */
function createBreaker(halt: (reason: SessionHalt) => void): AgentLimits['noteEnding'] {
  const alike = new Map<string, Set<string>>()
  let hasFinished = false
  return (attempt, { ending, agent }) => {
    if (ending.ended === 'finished') hasFinished = true
    else if (ending.kind === 'crashed' || ending.kind === 'malformed') {
      const key = `${agent} ${ending.kind}: ${ending.message.split('\n')[0] ?? ''}`
      const issues = (alike.get(key) ?? new Set()).add(attempt.issue_code)
      alike.set(key, issues)
      const reason = `${issues.size} issues in a row failed in the same way (${key})`
      if (!hasFinished && issues.size >= breakerIssues) halt({ kind: 'breaker', reason, until: null })
    }
  }
}

/** Why a session cannot go on after the last agent of a role failed like this; null when it is the issue's own failure. */
function haltFor({ agent, ending }: AgentRun, againAt: number): SessionHalt | null {
  if (ending.ended === 'finished') return null
  const reason = `${agent}: ${ending.message}`
  switch (ending.kind) {
    case 'billing':
    case 'auth':
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
