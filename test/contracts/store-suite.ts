import { describe } from 'vitest'
import type { Store } from '../../src/adapters/store/index.ts'
import { describeIssues } from './store-suite-issues.ts'
import { describeLists } from './store-suite-lists.ts'
import { describeProcesses } from './store-suite-processes.ts'
import { describeSessions } from './store-suite-sessions.ts'

/** One empty database of the kind under test. */
export interface TestDatabase {
  /** What a child process opens it by; see test/fixtures/store/open-store.ts. */
  readonly address: string
  /** A connection of its own, with the clock that is given. */
  open(now: () => number): Promise<Store>
  /** What is wrong with the database: nothing. */
  integrity(): Promise<readonly string[]>
  remove(): Promise<void>
}

/** What every store has to hold to, whichever database is behind it. */
export function describeStore(name: string, makeDatabase: () => Promise<TestDatabase>): void {
  describe(name, () => {
    describeIssues(makeDatabase)
    describeLists(makeDatabase)
    describeSessions(makeDatabase)
    describeProcesses(makeDatabase)
  })
}
