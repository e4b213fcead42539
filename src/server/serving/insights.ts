import type { StoredSession } from '../../loop/ports.ts'
import type { Insights } from '../../model/api/system.ts'
import { isSettled, type SettledAttempt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { countedAs } from '../../model/session/session-result.ts'

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
}

/** The ends of one session's attempts, small enough to keep for as long as the server runs. */
export const endsOf = ({ session, attempts }: StoredSession): readonly End[] =>
  attempts
    .filter(isSettled)
    .map((attempt) => endOf(attempt, (session.ended_at ?? session.updated_at).slice(0, 10)))

const endOf = (attempt: SettledAttempt, day: string): End => ({
  day,
  counted: countedAs(attempt.outcome),
  outcome: attempt.outcome,
  evidence: attempt.evidence,
  rounds: attempt.rounds.length,
  agent: attempt.rounds.at(-1)?.run.agent ?? 'none',
  issueId: attempt.issue_id,
  costUsd: sumOf(attempt.rounds, (round) => round.run.cost_usd),
  tokens: sumOf(attempt.rounds, (round) => round.run.tokens),
})

export interface InsightParts {
  readonly sessions: readonly (readonly End[])[]
  /** The issues that the attempts were about. */
  readonly issues: readonly Issue[]
}

export function insightsOf({ sessions, issues }: InsightParts): Insights {
  const ends = sessions.flat()
  const fixes = ends.filter(({ counted }) => counted === 'fixed')
  const ruleOf = new Map<string, string>(issues.map(({ id, rule }) => [id, rule ?? 'no rule']))
  const costUsd = sumOf(ends, (end) => end.costUsd)
  return {
    schema: 'fixpoint.insights.v1',
    sessions: sessions.length,
    attempts: ends.length,
    fixed: fixes.length,
    cost_usd: costUsd,
    tokens: sumOf(ends, ({ tokens }) => tokens),
    by_day: byDay(ends),
    evidence: tally(fixes, ({ evidence }) => evidence ?? 'none'),
    outcomes: tally(ends, ({ outcome }) => outcome),
    rounds_per_fix: tally(fixes, ({ rounds }) => String(rounds)),
    cost_per_fix_usd: fixes.length > 0 ? costUsd / fixes.length : null,
    by_agent: tallyBy(ends, ({ agent }) => agent),
    by_rule: tallyBy(ends, ({ issueId }) => ruleOf.get(issueId) ?? 'no rule'),
    origin: originsOf(issues),
  }
}

function originsOf(issues: readonly Issue[]): Insights['origin'] {
  const regression = issues.filter(({ regression_of }) => regression_of !== null).length
  const made = issues.filter((issue) => issue.regression_of === null && issue.induced_by !== undefined).length
  return { regression, fix_induced: made, latent: issues.length - regression - made }
}

function byDay(ends: readonly End[]): Insights['by_day'] {
  const count = (some: readonly End[], kind: End['counted']): number =>
    some.filter(({ counted }) => counted === kind).length
  return [...Map.groupBy(ends, ({ day }) => day)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, some]) => ({
      day,
      fixed: count(some, 'fixed'),
      failed: count(some, 'failed'),
      skipped: count(some, 'skipped'),
      cost_usd: sumOf(some, ({ costUsd }) => costUsd),
    }))
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
