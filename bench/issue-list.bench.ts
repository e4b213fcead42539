import { join } from 'node:path'
import { openSqliteStore, type Store } from '../src/adapters/store/index.ts'
import { openPostgresStore } from '../src/adapters/store/postgres/open-postgres-store.ts'
import { formatCursor, type Cursor } from '../src/adapters/store/issues/cursor.ts'
import type { IssueQuery } from '../src/loop/ports.ts'
import { IssueStatus } from '../src/model/issue/issue.ts'
import { Severity } from '../src/model/issue/severity.ts'
import { makeFolder } from '../test/fixtures/repositories.ts'
import {
  issueOf,
  numbered,
  repositoryId,
  sampleFinding,
  sampleReview,
} from '../test/fixtures/store/samples.ts'
import type { Figure } from './figure.ts'
import { multiplyIssues } from './million-issues.ts'
import { withPostgres } from './postgres-database.ts'
import { createRandom, quantile } from './statistics.ts'

export const title = 'A page of 50 out of 1,000,000 issues, at 200 random places of random lists'

const ISSUES = 1_000_000
const REVIEWS = 20
const PAGES = 200

const random = createRandom(1)
const numberBelow = (limit: number): number => Math.floor(random() * limit)
const pick = <Item>(items: readonly Item[]): Item => items[numberBelow(items.length)] as Item

export const parts = ['sqlite', 'postgres'] as const

export async function run(part?: string): Promise<readonly Figure[]> {
  return [
    ...(part === 'postgres' ? [] : await runOnSqlite()),
    ...(part === 'sqlite' ? [] : await withPostgres(runOnPostgres)),
  ]
}

async function runOnSqlite(): Promise<readonly Figure[]> {
  const { folder, dispose } = makeFolder()
  const store = await openSqliteStore({ file: join(folder, 'fixpoint.db'), now: Date.now })
  try {
    return await measure(store, { database: 'SQLite', pageMs: 4 }, await fillAll(store, ISSUES))
  } finally {
    await store.close()
    dispose()
  }
}

/** The store makes a part of the issues, and the database copies them. */
async function runOnPostgres(url: string): Promise<readonly Figure[]> {
  const copies = 20
  const store = await openPostgresStore({ url, now: Date.now })
  try {
    const places = await fillAll(store, ISSUES / copies)
    await multiplyIssues(url, copies)
    return await measure(store, { database: 'PostgreSQL', pageMs: 15 }, places)
  } finally {
    await store.close()
  }
}

interface Subject {
  readonly database: string
  readonly pageMs: number
}

async function measure(
  store: Store,
  { database, pageMs }: Subject,
  places: readonly Cursor[],
): Promise<readonly Figure[]> {
  const durations: number[] = []
  for (let page = 0; page < PAGES; page += 1) durations.push(await timePage(store, randomQuery(places)))
  const totals: number[] = []
  for (let time = 0; time < 20; time += 1) totals.push(await timeTotals(store))
  const value = quantile(totals, 0.95)
  return [
    { name: `${database}: totals of status and severity within`, value, limit: 50, unit: 'ms' },
    {
      name: `${database}: 95 of 100 pages within`,
      value: quantile(durations, 0.95),
      limit: pageMs,
      unit: 'ms',
    },
  ]
}

async function fillAll(store: Store, issues: number): Promise<readonly Cursor[]> {
  await store.repositories.ensure({ key: 'bench', path: '/bench', newId: repositoryId })
  const places: Cursor[] = []
  for (let review = 0; review < REVIEWS; review += 1)
    places.push(...(await fill(store, review, issues / REVIEWS)))
  return places
}

/** Stores the issues of one review, of every status and severity, and gives the places of some of them in the list. */
async function fill(store: Store, reviewNumber: number, count: number): Promise<readonly Cursor[]> {
  const review = sampleReview(numbered('rev', reviewNumber))
  const first = reviewNumber * count
  const created = Array.from({ length: count }, (_, index) => {
    const number = first + index
    const finding = sampleFinding(review, number, { severity: pick(Severity.options) })
    return issueOf(finding, numbered('iss', number), { status: pick(IssueStatus.options) })
  })
  const plan = () => ({ created, changed: [], issueOf: [] })
  await store.issues.triage({ review, count: 0, parts: [{ findings: [], plan }] })
  return Array.from({ length: PAGES }, () => pick(created)).map(({ priority, id }) => ({
    rank: -priority,
    id,
  }))
}

/** Makes a query with or without each filter, for the first page or any other. */
function randomQuery(places: readonly Cursor[]): IssueQuery {
  const maybe = <Part extends object>(part: () => Part): Part | undefined =>
    random() < 0.5 ? part() : undefined
  return {
    repositoryId,
    limit: 50,
    ...maybe(() => ({ status: [pick(IssueStatus.options)] })),
    ...maybe(() => ({ severity: [pick(Severity.options)] })),
    ...maybe(() => ({ taskId: numbered('rev', numberBelow(REVIEWS)) })),
    ...maybe(() => ({ cursor: formatCursor(pick(places)) })),
  }
}

async function timeTotals(store: Store): Promise<number> {
  const startedAt = performance.now()
  const totals = await store.issues.count({ repositoryId })
  const tookMs = performance.now() - startedAt
  const counted = totals.reduce((sum, { count }) => sum + count, 0)
  if (counted !== ISSUES) throw new Error(`${counted} issues were counted, not ${ISSUES}`)
  return tookMs
}

async function timePage(store: Store, query: IssueQuery): Promise<number> {
  const startedAt = performance.now()
  const { unreadable = [] } = await store.issues.list(query)
  const tookMs = performance.now() - startedAt
  if (unreadable.length > 0) throw new Error(`issues cannot be read: ${unreadable[0]}`)
  return tookMs
}
