import type { TestDatabase } from './store-scene.ts'
import { describeIssues } from './store-suite-issues.ts'
import { describePeople } from './store-suite-people.ts'
import { describeProviders } from './store-suite-providers.ts'
import { describeLeases } from './store-suite-leases.ts'
import { describeReviewOrders } from './store-suite-reviews.ts'
import { describeLists } from './store-suite-lists.ts'
import { describeProcesses } from './store-suite-processes.ts'
import { describeRequests } from './store-suite-requests.ts'
import { describeSessions } from './store-suite-sessions.ts'

/** The tests of what every store must do, with any database behind it. */
export function describeStore(makeDatabase: () => Promise<TestDatabase>): void {
  describeIssues(makeDatabase)
  describeLists(makeDatabase)
  describeSessions(makeDatabase)
  describeLeases(makeDatabase)
  describeReviewOrders(makeDatabase)
  describeRequests(makeDatabase)
  describeProcesses(makeDatabase)
  describePeople(makeDatabase)
  describeProviders(makeDatabase)
}
