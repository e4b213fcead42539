import type { CheckCache, IssueStore, RepositoryStore, ReviewStore, SessionStore } from '../../loop/ports.ts'
import { checkCache } from './check-cache.ts'
import { issueStore } from './issues/issue-store.ts'
import { repositoryStore } from './reviews/repository-store.ts'
import { reviewStore } from './reviews/review-store.ts'
import { sessionStore } from './sessions/session-store.ts'
import type { Database } from './tables/tables.ts'

/** Everything that is kept, whichever database keeps it. */
export interface Store {
  readonly repositories: RepositoryStore
  readonly reviews: ReviewStore
  readonly issues: IssueStore
  readonly sessions: SessionStore
  readonly checkCache: CheckCache
  close(): Promise<void>
}

export const storeOn = (db: Database): Store => ({
  repositories: repositoryStore(db),
  reviews: reviewStore(db),
  issues: issueStore(db),
  sessions: sessionStore(db),
  checkCache: checkCache(db),
  close: () => db.query.destroy(),
})
