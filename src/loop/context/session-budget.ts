import { isSettled, type Attempt } from '../../model/attempt/attempt.ts'
import { expectedRest, expectedRests, knownCosts } from '../../model/attempt/expected-cost.ts'
import { addSpent, nothingSpent, spentOn, type Budget, type Spent } from '../../model/attempt/spending.ts'
import type { AttemptId } from '../../model/id.ts'
import type { SessionHalt } from '../../model/session/halt.ts'

/** What a session may use: how much of it is gone, promised and left. */
export interface SessionBudget {
  /** What is left for a run that is for these issues; halts when the session's budget is used up. */
  allowance(asked: readonly Attempt[], all: readonly Attempt[]): Allowance
  /**
   * The part of the allowance that a run which begins now may use; all runs under way together never exceed what is
   * left.
   */
  share(asked: readonly Attempt[], all: readonly Attempt[]): Share
  /** How many attempts may begin besides those that have: the money left must cover the rest of all of them. Halts when none could ever begin. */
  affordable(attempts: readonly Attempt[], begun: ReadonlySet<AttemptId>): number
  /** Notes what a run has used so far, until it ends. */
  noteUsage(key: string, used: Spent): void
  /** Notes what an ended run has used; halts with a reason when the session's budget is used up. */
  noteEnd(key: string, used: Spent): { readonly isUsedUp: boolean }
  /** The session's usage up to now, with what is not recorded yet or never will be. */
  spent(): Spent
}

export type Allowance =
  | { readonly allowed: true; readonly budgetUsd: number | null }
  | { readonly allowed: false; readonly reason: string }

export interface Share {
  /** Null without a budget. */
  readonly usd: number | null
  /** Called when the run has ended, whatever it cost. */
  release(): void
}

export interface BudgetOptions {
  /** What the session had used when it was taken up. */
  readonly before: Spent
  /** How many runs there may be at once. */
  readonly places: number
  /** Called whenever more is used; the sum includes runs that are still under way. */
  readonly onSpent: (spent: Spent) => void
  readonly halt: (reason: SessionHalt) => void
}

export function createSessionBudget(
  budget: Budget,
  { before, places, onSpent, halt }: BudgetOptions,
): SessionBudget {
  const meter = createMeter(before, onSpent)
  const underway = new Set<{ readonly usd: number }>()
  const haltFor = (reason: string): void => halt({ kind: 'budget', reason, until: null })
  const whyUsedUp = (all: Spent): string | null => {
    const reason = overBudget(all, budget.session)
    if (reason) haltFor(`the session has used ${reason}`)
    return reason
  }
  const allowance: SessionBudget['allowance'] = (asked, attempts) => {
    const all = mostOf(meter.spent(), attempts)
    const reason = whyUsedUp(all)
    return reason ? { allowed: false, reason } : allowanceOf(budget, all, asked)
  }
  return {
    allowance,
    share(asked, attempts) {
      const left = allowance(asked, attempts)
      const most = left.allowed ? left.budgetUsd : 0
      if (most === null || budget.session.usd === null) return { usd: most, release: () => undefined }
      const leftUsd = budget.session.usd - mostOf(meter.spent(), attempts).usd
      const part = Math.min(most, equalPart({ leftUsd, places, underway }, attempts))
      // The rest of its part pays for its challenge.
      const promise = { usd: Math.max(part / 2, part - (knownCosts(attempts).challenge ?? 0)) }
      underway.add(promise)
      return { usd: promise.usd, release: () => void underway.delete(promise) }
    },
    affordable(attempts, begun) {
      const limitUsd = budget.session.usd
      const queued = attempts.filter(({ id, stage }) => stage === 'queued' && !begun.has(id))
      if (limitUsd === null || queued.length === 0) return Number.POSITIVE_INFINITY
      const used = mostOf(meter.spent(), attempts)
      if (whyUsedUp(used)) return 0
      const { count, tooLittle } = countAffordable({ attempts, queued, begun }, limitUsd, used.usd)
      if (tooLittle) haltFor(tooLittle)
      return count
    },
    noteUsage: meter.noteUsage,
    noteEnd(key, used) {
      meter.add(key, used)
      return { isUsedUp: whyUsedUp(meter.spent()) !== null }
    },
    spent: meter.spent,
  }
}

/** Counts the usage of ended runs, and reports it together with the usage of runs under way. */
function createMeter(before: Spent, onSpent: (spent: Spent) => void) {
  let spent = before
  const live = new Map<string, Spent>()
  const reportSpent = (): void => onSpent([...live.values()].reduce(addSpent, spent))
  return {
    spent: (): Spent => spent,
    noteUsage(key: string, used: Spent): void {
      live.set(key, used)
      reportSpent()
    },
    add(key: string, used: Spent): void {
      spent = addSpent(spent, used)
      live.delete(key)
      reportSpent()
    },
  }
}

const sumOf = (attempts: readonly Attempt[]): Spent => attempts.map(spentOn).reduce(addSpent, nothingSpent)

/** What the session has used: as counted here, or as its attempts have recorded, whichever is more. */
function mostOf(spent: Spent, attempts: readonly Attempt[]): Spent {
  const recorded = sumOf(attempts)
  return { usd: Math.max(spent.usd, recorded.usd), tokens: Math.max(spent.tokens, recorded.tokens) }
}

/** What these issues may still use, when the session has used so much. */
function allowanceOf(budget: Budget, all: Spent, asked: readonly Attempt[]): Allowance {
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

/** Issues that share a run add up what each may use. */
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

interface Left {
  readonly leftUsd: number
  readonly places: number
  readonly underway: ReadonlySet<{ readonly usd: number }>
}

/** What the session has left, in equal parts for this run and for those that may begin beside it. */
function equalPart({ leftUsd, places, underway }: Left, attempts: readonly Attempt[]): number {
  const promised = [...underway].reduce((sum, { usd }) => sum + usd, 0)
  const free = Math.min(places, attempts.filter((one) => !isSettled(one)).length) - underway.size
  return Math.max(0, leftUsd - promised) / Math.max(1, free)
}

interface Begun {
  readonly attempts: readonly Attempt[]
  readonly queued: readonly Attempt[]
  readonly begun: ReadonlySet<AttemptId>
}

/** How many of those that are queued may begin; `tooLittle` says why none ever could. */
function countAffordable(
  { attempts, queued, begun }: Begun,
  limitUsd: number,
  usedUsd: number,
): { readonly count: number; readonly tooLittle?: string } {
  const known = knownCosts(attempts)
  const rest = expectedRests(
    attempts.filter((attempt) => !queued.includes(attempt)),
    known,
  )
  const one = Math.max(...queued.map((attempt) => expectedRest(attempt, known)))
  const count = one === 0 ? Number.POSITIVE_INFINITY : Math.floor((limitUsd - usedUsd - rest) / one + 1e-9)
  if (count > 0 || rest > 0 || begun.size > 0) return { count: Math.max(0, count) }
  // Nobody knows before the first run whether it is too little.
  if (known.fix === null) return { count: 1 }
  const left = `$${(limitUsd - usedUsd).toFixed(2)} of $${limitUsd.toFixed(2)}`
  return {
    count: 0,
    tooLittle: `${left} left, and another fix costs about $${one.toFixed(2)} with its challenge`,
  }
}
