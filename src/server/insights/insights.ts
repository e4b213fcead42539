import type { StoredSession } from '../../loop/ports.ts'
import type { Insights } from '../../model/api/system.ts'
import { isSettled, type SettledAttempt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { spentOn, type Spent } from '../../model/attempt/spending.ts'
import type { Round } from '../../model/attempt/round.ts'
import { blockingGate } from '../../model/proof/gate.ts'
import { countedAs } from '../../model/session/outcome-table.ts'
import { spentInSession } from '../../model/session/spent-in-session.ts'

/** What insights keep of one settled attempt. */
export interface End {
  readonly day: string
  readonly counted: 'fixed' | 'failed' | 'skipped'
  readonly outcome: string
  readonly evidence: string | null
  readonly rounds: number
  readonly agent: string
  readonly issueId: string
  readonly costUsd: number
  readonly tokens: number
  /** The agent with its model, where that is known. */
  readonly model: string
  /** From the first round to the end, as far as agents were at work. */
  readonly workMs: number
  /** What refused its rounds: a gate, the challenger, or the agent itself. */
  readonly refusals: readonly string[]
  /** What each agent of it cost: fixers, challengers and the one that wrote a test. */
  readonly costs: readonly { readonly agent: string; readonly usd: number }[]
}

/** One session for insights: how its attempts ended, and what all of it has used, also what no attempt holds. */
export interface SessionEnds {
  readonly sessionId: string
  readonly day: string
  readonly ends: readonly End[]
  readonly spent: Spent
}

export const sessionEndsOf = (stored: StoredSession): SessionEnds => ({
  sessionId: stored.session.id,
  day: dayOf(stored),
  ends: endsOf(stored),
  spent: spentInSession(stored.session, stored.attempts),
})

const dayOf = ({ session }: StoredSession): string => (session.ended_at ?? session.updated_at).slice(0, 10)

/** The ends of one session's attempts, small enough to keep for as long as the server runs. */
const endsOf = (stored: StoredSession): readonly End[] =>
  stored.attempts.filter(isSettled).map((attempt) => endOf(attempt, dayOf(stored)))

const endOf = (attempt: SettledAttempt, day: string): End => ({
  day,
  counted: countedAs(attempt.outcome),
  outcome: attempt.outcome,
  evidence: attempt.evidence,
  rounds: attempt.rounds.length,
  agent: attempt.rounds.at(-1)?.run.agent ?? 'none',
  model: modelOf(attempt),
  workMs: attempt.rounds.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
  refusals: attempt.rounds.flatMap((round) => (round.refusal === null ? [] : [refuserOf(round)])),
  issueId: attempt.issue_id,
  costUsd: spentOn(attempt).usd,
  tokens: spentOn(attempt).tokens,
  costs: costsOf(attempt),
})

function modelOf({ rounds }: SettledAttempt): string {
  const run = rounds.at(-1)?.run
  return run ? `${run.agent}${run.model === null ? '' : ` (${run.model})`}` : 'none'
}

/** Who stood in the way of a round. */
function refuserOf({ gates, challenge, run, report }: Round): string {
  const gate = blockingGate(gates)
  if (gate) return gate.name
  if (challenge && challenge.status !== 'accepted') return 'challenger'
  const isOffered = report === null || report.outcome === 'fixed'
  return run.ending.ended === 'failed' || !isOffered ? 'agent' : 'landing'
}

const costsOf = ({ rounds, reproduction }: SettledAttempt): End['costs'] => [
  ...(reproduction?.run ? [{ agent: reproduction.run.agent, usd: reproduction.run.cost_usd }] : []),
  ...rounds.flatMap(({ run, challenge }) => [
    { agent: run.agent, usd: run.cost_usd },
    ...(challenge ? [{ agent: challenge.agent, usd: challenge.cost_usd ?? 0 }] : []),
  ]),
]

/** The figures that sessions tell; how many issues stand open is no matter of sessions alone. */
export type SessionInsights = Omit<Insights, 'open_by_day' | 'behind'>

export interface InsightParts {
  readonly sessions: readonly SessionEnds[]
  /** The issues that the attempts were about. */
  readonly issues: readonly Issue[]
}

export function insightsOf({ sessions, issues }: InsightParts): SessionInsights {
  const ends = sessions.flatMap((session) => session.ends)
  const fixes = ends.filter(({ counted }) => counted === 'fixed')
  const ruleOf = new Map<string, string>(issues.map(({ id, rule }) => [id, rule ?? 'no rule']))
  const costUsd = sumOf(sessions, ({ spent }) => spent.usd)
  return {
    schema: 'fixpoint.insights.v1',
    sessions: sessions.length,
    attempts: ends.length,
    fixed: fixes.length,
    cost_usd: costUsd,
    tokens: sumOf(sessions, ({ spent }) => spent.tokens),
    by_day: byDay(sessions),
    evidence: tally(fixes, ({ evidence }) => evidence ?? 'none'),
    outcomes: tally(ends, ({ outcome }) => outcome),
    rounds_per_fix: tally(fixes, ({ rounds }) => String(rounds)),
    cost_per_fix_usd: fixes.length > 0 ? costUsd / fixes.length : null,
    by_agent: byAgent(ends),
    by_model: tallyBy(ends, ({ model }) => model),
    refusals: countNames(ends.flatMap(({ refusals }) => refusals)),
    time_to_fix_ms: medianOf(fixes.map(({ workMs }) => workMs)),
    evidence_by_day: [...Map.groupBy(fixes, ({ day }) => day)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, some]) => ({ day, counts: tally(some, ({ evidence }) => evidence ?? 'none') })),
    by_rule: tallyBy(ends, ({ issueId }) => ruleOf.get(issueId) ?? 'no rule'),
    origin: originsOf(issues),
  }
}

function originsOf(issues: readonly Issue[]): Insights['origin'] {
  const counts = { regression: 0, fix_induced: 0, latent: 0 }
  for (const issue of issues) counts[originOf(issue)] += 1
  return counts
}

function originOf({ regression_of, induced_by }: Issue): keyof Insights['origin'] {
  if (regression_of !== null) return 'regression'
  return induced_by === undefined ? 'latent' : 'fix_induced'
}

/** The figures that have bars, with what of an attempt each counts; a fix counts in those that are about fixes. */
const bars = {
  outcomes: ({ outcome }) => [outcome],
  evidence: ({ counted, evidence }) => (counted === 'fixed' ? [evidence ?? 'none'] : []),
  rounds_per_fix: ({ counted, rounds }) => (counted === 'fixed' ? [String(rounds)] : []),
  refusals: ({ refusals }) => refusals,
  by_day: ({ day }) => [day],
  by_agent: ({ agent }) => [agent],
  by_model: ({ model }) => [model],
  by_rule: (_, issue) => [issue?.rule ?? 'no rule'],
  origin: (_, issue) => (issue ? [originOf(issue)] : []),
} as const satisfies Readonly<Record<string, (end: End, issue: Issue | undefined) => readonly string[]>>

export type InsightBar = keyof typeof bars
export const insightBars = Object.keys(bars) as readonly InsightBar[]

/** The attempts behind one bar, newest first. */
export function attemptsBehind(
  { sessions, issues }: InsightParts,
  bar: InsightBar,
  value: string,
): NonNullable<Insights['behind']> {
  const issueOf = new Map<string, Issue>(issues.map((issue) => [issue.id, issue]))
  return sessions.flatMap(({ sessionId, ends }) =>
    ends.flatMap((end) => {
      const issue = issueOf.get(end.issueId)
      if (!issue || !bars[bar](end, issue).includes(value)) return []
      const { code, title, status, severity } = issue
      const { outcome, day } = end
      return [{ issue_id: issue.id, code, title, status, severity, session_id: sessionId, outcome, day }]
    }),
  )
}

function byDay(sessions: readonly SessionEnds[]): Insights['by_day'] {
  const count = (some: readonly SessionEnds[], kind: End['counted']): number =>
    some.flatMap(({ ends }) => ends).filter(({ counted }) => counted === kind).length
  return [...Map.groupBy(sessions, ({ day }) => day)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, some]) => ({
      day,
      fixed: count(some, 'fixed'),
      failed: count(some, 'failed'),
      skipped: count(some, 'skipped'),
      cost_usd: sumOf(some, ({ spent }) => spent.usd),
    }))
}

/**
 * Attempts count for the agent that fixed; money counts for the agent that was paid, also for a challenger that fixed
 * nothing.
 */
function byAgent(ends: readonly End[]): Insights['by_agent'] {
  const costs = ends.flatMap((end) => end.costs)
  const costOf = (agent: string): number =>
    sumOf(
      costs.filter((one) => one.agent === agent),
      ({ usd }) => usd,
    )
  const fixers = tallyBy(ends, ({ agent }) => agent).map((one) => ({ ...one, cost_usd: costOf(one.name) }))
  const others = new Set(costs.map(({ agent }) => agent)).difference(new Set(fixers.map(({ name }) => name)))
  return [...fixers, ...[...others].map((name) => ({ name, attempts: 0, fixed: 0, cost_usd: costOf(name) }))]
}

const countNames = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, some]) => [name, some.length]))

/** The middle one; null of nothing. */
function medianOf(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

const tally = (ends: readonly End[], nameOf: (end: End) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(ends, nameOf)].map(([name, some]) => [name, some.length]))

const tallyBy = (ends: readonly End[], nameOf: (end: End) => string): Insights['by_agent'] =>
  [...Map.groupBy(ends, nameOf)]
    .map(([name, some]) => ({
      name,
      attempts: some.length,
      fixed: some.filter(({ counted }) => counted === 'fixed').length,
      cost_usd: sumOf(some, ({ costUsd }) => costUsd),
    }))
    .toSorted((a, b) => b.attempts - a.attempts || (a.name < b.name ? -1 : 1))

const sumOf = <Item>(items: readonly Item[], numberOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + numberOf(item), 0)
