import { afterAll, beforeAll } from 'vitest'
import type { Store } from '../../src/adapters/store/index.ts'
import type { Finding } from '../../src/model/issue/finding.ts'
import type { Issue } from '../../src/model/issue/issue.ts'
import type { Review } from '../../src/model/issue/review.ts'
import {
  numbered,
  planByFingerprint,
  repositoryId,
  sampleFinding,
  sampleReview,
  triageOnce,
} from '../fixtures/store/samples.ts'

/** One empty database of the kind under test. */
export interface TestDatabase {
  /** The address by which a child process opens it; see test/fixtures/store/open-store.ts. */
  readonly address: string
  /** Opens a connection of its own, with the given clock. */
  open(now: () => number): Promise<Store>
  /** The faults of the database; there must be none. */
  integrity(): Promise<readonly string[]>
  remove(): Promise<void>
}

export const recordedAt = '2031-02-03T04:05:06.000Z'

export interface Scene {
  readonly store: Store
  readonly database: TestDatabase
  /** Imports findings with the differences given first; each becomes an issue with the differences given second. */
  issues(findings: readonly Partial<Finding>[], given?: Partial<Issue>): Promise<readonly Issue[]>
  /** One new open issue. */
  issue(given?: Partial<Issue>): Promise<Issue>
}

/** A database with one repository for the tests of one block; nothing in it is shared with other blocks. */
export function setScene(makeDatabase: () => Promise<TestDatabase>): Scene {
  const scene: { store?: Store; database?: TestDatabase } = {}
  // Far from the numbers that the writers of test/fixtures/store use.
  let numbers = 1_000_000
  beforeAll(async () => {
    scene.database = await makeDatabase()
    scene.store = await scene.database.open(() => Date.parse(recordedAt))
    await scene.store.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
  })
  afterAll(async () => {
    await scene.store?.close()
    await scene.database?.remove()
  })
  const present = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('the scene is not set yet')
    return value
  }
  const issues: Scene['issues'] = async (differences, given = {}) => {
    const review: Review = sampleReview(numbered('rev', (numbers += 1)))
    const findings = differences.map((difference) => sampleFinding(review, (numbers += 1), difference))
    const first = numbers - findings.length
    const plan = planByFingerprint(findings, (index) => numbered('iss', first + index), given)
    return (await triageOnce(present(scene.store), { review, findings, plan })).created
  }
  return {
    get store() {
      return present(scene.store)
    },
    get database() {
      return present(scene.database)
    },
    issues,
    issue: async (given) => {
      const [created] = await issues([{}], given)
      return present(created)
    },
  }
}
