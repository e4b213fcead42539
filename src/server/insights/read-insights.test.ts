import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleRound, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import { makeFolder } from '../../../test/fixtures/repositories.ts'
import {
  issueOf,
  numbered,
  repositoryId,
  sampleAttempt,
  sampleEvent,
  sampleFinding,
  sampleReview,
  sampleSession,
} from '../../../test/fixtures/store/samples.ts'
import { openSqliteStore, type Store } from '../../adapters/store/index.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import type { Insights } from '../../model/api/system.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { createSessionDigests } from '../serving/session-digests.ts'
import { readInsights } from './read-insights.ts'

const { folder, dispose } = makeFolder()
const file = join(folder, 'fixpoint.db')
let store: Store
let database: DatabaseSync
let insights: Insights

const pick = <Value>(values: readonly Value[], number: number): Value =>
  values[number % values.length] as Value
const outcomes = ['fixed', 'fixed', 'refused', 'false_positive', 'disputed', 'cancelled', 'fixed'] as const

const noFix = {
  outcome: 'needs_agent' as const,
  files_modified: [],
  changes_summary: '',
  explanation: 'no rule fixes it',
  confidence: 90,
  completeness: 'full',
  risks: [],
}

function roundOf(number: number, isLast: boolean, isFixed: boolean) {
  const run = sampleRun({
    agent: pick(['ada', 'bob'], number),
    model: pick(['m1', null, 'm2'], number),
    cost_usd: number / 64,
    tokens: number,
  })
  const isAccepted = isLast && isFixed
  const gate = { name: pick(['scope', 'verification'], number), status: 'failed' as const, reason: 'no' }
  const scores = { correctness: 90, safety: 90, minimality: 90, style_consistency: 90 }
  const challenge = {
    score: 90,
    quality_scores: scores,
    feedback: 'so',
    improvements_needed: [],
    model: null,
    status: isAccepted ? 'accepted' : 'refused',
    agent: 'judge',
    cost_usd: 1 / 32,
    tokens: 7,
  }
  return sampleRound({
    run,
    duration_ms: number * 100,
    gates: isAccepted || number % 3 === 0 ? [] : [gate],
    challenge: (number % 2 === 0 ? challenge : null) as never,
    report: number % 9 === 0 ? noFix : null,
    refusal: isAccepted ? null : 'refused',
  })
}

function attemptOf(number: number, session: ReturnType<typeof sampleSession>, issue: Issue): Attempt {
  const outcome = pick(outcomes, number)
  const isFixed = outcome === 'fixed'
  const count = outcome === 'cancelled' ? 0 : 1 + (number % 3)
  return {
    ...sampleAttempt(numbered('att', number), session, issue),
    stage: 'settled',
    outcome,
    reason: 'because',
    evidence: isFixed ? pick(['E1', 'E3', 'E4'], number) : null,
    commit_sha: isFixed ? 'c'.repeat(40) : null,
    commit_message: isFixed ? 'fix: it' : null,
    ...(number % 4 === 0 && {
      reproduction: { run: sampleRun({ agent: 'writer', cost_usd: 0.5, tokens: 3 }), test: null, reason: '' },
    }),
    rounds: Array.from({ length: count }, (_, index) =>
      roundOf(number + index, index === count - 1, isFixed),
    ),
  } as unknown as Attempt
}

beforeAll(async () => {
  store = await openSqliteStore({ file, now: () => Date.parse('2030-02-01T00:00:00Z') })
  await store.repositories.ensure({ key: 'k', path: folder, newId: repositoryId })
  const review = sampleReview('rev_1')
  const created = Array.from({ length: 90 }, (_, number) => {
    const at = `2030-01-${String(1 + (number % 9)).padStart(2, '0')}T00:00:00.000Z`
    const given = { rule: pick(['a', 'b', null], number), created_at: at, updated_at: at }
    const origin =
      number % 5 === 0
        ? { regression_of: numbered('iss', 1) }
        : number % 7 === 0
          ? { induced_by: numbered('ses', 1) }
          : {}
    return issueOf(sampleFinding(review, number), numbered('iss', number), {
      ...given,
      ...origin,
    } as Partial<Issue>)
  })
  await store.issues.triage({
    review,
    count: 0,
    parts: [{ findings: [], plan: () => ({ created, changed: [], issueOf: [] }) }],
  })
  const issues = await store.issues.get(created.map(({ id }) => id))
  for (let number = 0; number < 30; number += 1) {
    const own = issues.slice(number * 2, number * 2 + 2)
    const ended = `2030-01-${String(10 + (number % 8)).padStart(2, '0')}T10:00:00.000Z`
    const session = sampleSession(
      numbered('ses', number),
      own.map(({ id }) => id),
      {
        status: 'completed',
        owner: null,
        updated_at: ended,
        ended_at: ended,
        spent_in_vain: { usd: 0.25, tokens: 1 },
      },
    )
    const attempts = own.map((issue, index) => attemptOf(number * 2 + index, session, issue))
    await store.sessions.create({ session, attempts, events: [sampleEvent(session.id)] })
  }
  for (const { id } of issues.slice(60, 75))
    await store.issues.change(id, 'person', (issue) => ({
      ...issue,
      status: 'ignored',
      ignored: { reason: 'no', until: null },
    }))
  database = new DatabaseSync(file, { readOnly: true })
  insights = await readInsights(
    { issues: store.issues, digests: createSessionDigests(store) },
    { repositoryId, first: '', last: '9999' },
  )
})
afterAll(async () => {
  database.close()
  await store.close()
  dispose()
})

/** The rows of a question to the database itself, as one object of names and numbers. */
const counted = (question: string): Record<string, number> =>
  Object.fromEntries(
    database
      .prepare(question)
      .all()
      .map((row) => [String(row['name']), Number(row['value'])]),
  )
const number = (question: string): number => Number(database.prepare(question).get()?.['value'])

/** Every round of every attempt, and everybody who was paid, as tables. */
const rounds = `(select attempt.id, attempt.data as attempt, round.value as data from attempt, json_each(attempt.data, '$.rounds') as round)`
const paid = `(
  select data ->> '$.run.agent' as agent, data ->> '$.run.cost_usd' as usd, data ->> '$.run.tokens' as tokens from ${rounds}
  union all select data ->> '$.challenge.agent', data ->> '$.challenge.cost_usd', data ->> '$.challenge.tokens' from ${rounds} where data ->> '$.challenge.agent' is not null
  union all select data ->> '$.reproduction.run.agent', data ->> '$.reproduction.run.cost_usd', data ->> '$.reproduction.run.tokens' from attempt where data ->> '$.reproduction.run.agent' is not null
  union all select 'nobody', data ->> '$.spent_in_vain.usd', data ->> '$.spent_in_vain.tokens' from session)`
const ofFixes = `from attempt where data ->> 'outcome' = 'fixed'`
const last = (path: string): string =>
  `(select value ->> '${path}' from json_each(attempt.data, '$.rounds') order by key desc limit 1)`
const dayOf = `(select substr(session.data ->> 'ended_at', 1, 10) from session where session.id = attempt.session_id)`
const asCounts = (tallies: Insights['by_agent'], of: 'attempts' | 'fixed' | 'cost_usd') =>
  Object.fromEntries(tallies.map((tally) => [tally.name, tally[of]]))

it('every total equals what the database holds', () => {
  const fixes = number(`select count(*) as value ${ofFixes}`)
  const cost = number(`select sum(usd) as value from ${paid}`)
  expect(insights).toMatchObject({
    sessions: number('select count(*) as value from session'),
    attempts: number('select count(*) as value from attempt'),
    fixed: fixes,
    tokens: number(`select sum(tokens) as value from ${paid}`),
  })
  expect(insights.cost_usd).toBeCloseTo(cost, 8)
  expect(insights.cost_per_fix_usd).toBeCloseTo(cost / fixes, 8)
  const times = database
    .prepare(
      `select (select sum(value ->> 'duration_ms') from json_each(data, '$.rounds')) as ms ${ofFixes} order by ms`,
    )
    .all()
  expect(insights.time_to_fix_ms).toBe(times[Math.floor((times.length - 1) / 2)]?.['ms'])
})

it('every bar equals what the database holds', () => {
  expect(insights.outcomes).toEqual(
    counted(`select data ->> 'outcome' as name, count(*) as value from attempt group by 1`),
  )
  expect(insights.evidence).toEqual(
    counted(`select data ->> 'evidence' as name, count(*) as value ${ofFixes} group by 1`),
  )
  expect(insights.rounds_per_fix).toEqual(
    counted(`select json_array_length(data, '$.rounds') as name, count(*) as value ${ofFixes} group by 1`),
  )
  expect(insights.refusals).toEqual(
    counted(`select coalesce(data ->> '$.gates[0].name', case when data ->> '$.challenge.status' = 'refused' then 'challenger' when data ->> '$.report.outcome' = 'needs_agent' then 'agent' else 'landing' end) as name,
      count(*) as value from ${rounds} where data ->> 'refusal' is not null group by 1`),
  )
  const worked = `(select distinct issue_id from attempt)`
  const written = `from (select coalesce(issue.lead, '{}') as lead, issue.data as data from issue where id in ${worked})`
  expect(insights.origin).toEqual({
    regression: 0,
    fix_induced: 0,
    latent: 0,
    ...counted(`select case when data ->> 'regression_of' is not null then 'regression' when data ->> 'induced_by' is not null then 'fix_induced' else 'latent' end as name,
      count(*) as value ${written} group by 1`),
  })
})

it('every tally equals what the database holds', () => {
  const agent = `coalesce(${last('$.run.agent')}, 'none')`
  const model = `${agent} || coalesce(' (' || ${last('$.run.model')} || ')', '')`
  const rule = `coalesce((select rule from issue where issue.id = attempt.issue_id), 'no rule')`
  for (const [tallies, name] of [
    [insights.by_model, model],
    [insights.by_rule, rule],
  ] as const) {
    expect(asCounts(tallies, 'attempts')).toEqual(
      counted(`select ${name} as name, count(*) as value from attempt group by 1`),
    )
    expect(asCounts(tallies, 'fixed')).toEqual(
      counted(`select ${name} as name, sum(data ->> 'outcome' = 'fixed') as value from attempt group by 1`),
    )
  }
  const fixers = insights.by_agent.filter(({ attempts }) => attempts > 0)
  expect(asCounts(fixers, 'attempts')).toEqual(
    counted(`select ${agent} as name, count(*) as value from attempt group by 1`),
  )
  const costs = counted(
    `select agent as name, sum(usd) as value from ${paid} where agent <> 'nobody' group by 1`,
  )
  const told = asCounts(insights.by_agent, 'cost_usd')
  for (const [name, usd] of Object.entries(costs))
    expect([name, told[name]]).toEqual([name, expect.closeTo(usd, 8)])
})

it('every day equals what the database holds', () => {
  for (const [key, outcome] of [
    ['fixed', `= 'fixed'`],
    ['failed', `= 'refused'`],
    ['skipped', `not in ('fixed', 'refused')`],
  ] as const) {
    const days = Object.fromEntries(
      insights.by_day.flatMap((one) => (one[key] > 0 ? [[one.day, one[key]]] : [])),
    )
    expect(days).toEqual(
      counted(
        `select ${dayOf} as name, count(*) as value from attempt where data ->> 'outcome' ${outcome} group by 1`,
      ),
    )
  }
  expect(
    Object.fromEntries(
      insights.evidence_by_day.flatMap(({ day, counts }) =>
        Object.entries(counts).map(([grade, count]) => [`${day} ${grade}`, count]),
      ),
    ),
  ).toEqual(
    counted(
      `select ${dayOf} || ' ' || (data ->> 'evidence') as name, count(*) as value ${ofFixes} group by 1`,
    ),
  )
  const open = number(`select count(*) as value from issue where status in ('open', 'in_progress', 'failed')`)
  expect(insights.open_by_day.at(-1)?.open).toBe(open)
  expect(
    insights.open_by_day.filter(({ day }) => day < '2030-01-10').map(({ day, found }) => [day, found]),
  ).toEqual(
    Object.entries(
      counted(`select substr(created_at, 1, 10) as name, count(*) as value from issue group by 1 order by 1`),
    ),
  )
})

it('what was counted is what lies behind each bar', async () => {
  const sources = { issues: store.issues, digests: createSessionDigests(store) }
  for (const [outcome, count] of Object.entries(insights.outcomes)) {
    const { behind } = await readInsights(sources, {
      repositoryId,
      first: '',
      last: '9999',
      behind: `outcomes:${outcome}`,
    })
    expect([outcome, behind?.length]).toEqual([outcome, count])
  }
  const some = await readInsights(sources, { repositoryId, first: '2030-01-12', last: '2030-01-13' })
  expect(some.sessions).toBe(
    number(
      `select count(*) as value from session where substr(data ->> 'ended_at', 1, 10) between '2030-01-12' and '2030-01-13'`,
    ),
  )
})
