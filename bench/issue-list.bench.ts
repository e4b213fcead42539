import { join } from 'node:path'
import { openSqliteStore, type Store } from '../src/adapters/store/index.ts'
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
import { createRandom, quantile } from './statistics.ts'

export const title = 'A page of 50 out of 1,000,000 issues, at 200 random places of random lists'

const REVIEWS = 20
const ISSUES_PER_REVIEW = 50_000
const PAGES = 200

const random = createRandom(1)
const numberBelow = (limit: number): number => Math.floor(random() * limit)
const pick = <Item>(items: readonly Item[]): Item => items[numberBelow(items.length)] as Item

export async function run(): Promise<readonly Figure[]> {
  const { folder, dispose } = makeFolder()
  const store = await openSqliteStore({ file: join(folder, 'fixpoint.db'), now: Date.now })
  try {
    await store.repositories.ensure({ key: 'bench', path: folder, newId: repositoryId })
    const places: Cursor[] = []
    for (let review = 0; review < REVIEWS; review += 1) places.push(...(await fill(store, review)))
    const durations: number[] = []
    for (let page = 0; page < PAGES; page += 1) durations.push(await timePage(store, randomQuery(places)))
    const totals: number[] = []
    for (let time = 0; time < 20; time += 1) totals.push(await timeTotals(store))
    return [
      {
        name: 'totals of status and severity are read within',
        value: quantile(totals, 0.95),
        limit: 50,
        unit: 'ms',
      },
      { name: '95 of 100 pages are read within', value: quantile(durations, 0.95), limit: 10, unit: 'ms' },
    ]
  } finally {
    await store.close()
    dispose()
  }
}

/** Stores the issues of one review, of every status and severity, and gives the places of some of them in the list. */
async function fill(store: Store, reviewNumber: number): Promise<readonly Cursor[]> {
  const review = sampleReview(numbered('rev', reviewNumber))
  const first = reviewNumber * ISSUES_PER_REVIEW
  const created = Array.from({ length: ISSUES_PER_REVIEW }, (_, index) => {
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
  await store.issues.count({ repositoryId })
  return performance.now() - startedAt
}

async function timePage(store: Store, query: IssueQuery): Promise<number> {
  const startedAt = performance.now()
  await store.issues.list(query)
  return performance.now() - startedAt
}
