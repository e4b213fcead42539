import type { CheckCache, IssueStore, RepositoryStore, ReviewStore, SessionStore } from '../../loop/ports.ts'
import { CommandRun } from '../../model/proof/verification.ts'
import { issueStore } from './issues/issue-store.ts'
import { repositoryStore } from './reviews/repository-store.ts'
import { reviewStore } from './reviews/review-store.ts'
import { sessionStore } from './sessions/session-store.ts'
import { parseStored } from './tables/stored-json.ts'
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

const checkCache = (db: Database): CheckCache => ({
  get: async (key) => {
    const row = await db.query
      .selectFrom('command_run')
      .select('data')
      .where('key', '=', key)
      .executeTakeFirst()
    return row ? parseStored(CommandRun, row.data) : null
  },
  put: async (key, run) => {
    const values = { created_at: db.now(), data: JSON.stringify(run) }
    await db.query
      .insertInto('command_run')
      .values({ key, ...values })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(values))
      .execute()
  },
})
