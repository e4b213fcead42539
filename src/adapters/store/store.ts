import type {
  AccessTokenStore,
  AuditStore,
  CheckCache,
  DeliveryStore,
  IssueStore,
  LeaseStore,
  LiveWords,
  ProviderStore,
  PullVoteStore,
  RepositoryStore,
  ReviewOrderStore,
  ReviewStore,
  SessionStore,
  WorkerStore,
} from '../../loop/ports.ts'
import { CommandRun } from '../../model/proof/verification.ts'
import { accessTokenStore, auditStore } from './people/people-stores.ts'
import { deliveryStore } from './hooks/delivery-store.ts'
import { issueStore } from './issues/issue-store.ts'
import { repositoryStore } from './reviews/repository-store.ts'
import { providerStore } from './provider-store.ts'
import { reviewOrderStore } from './reviews/review-orders.ts'
import { reviewStore } from './reviews/review-store.ts'
import { leaseStore } from './sessions/attempt-leases.ts'
import { sessionStore } from './sessions/session-store.ts'
import { workerStore } from './worker-store.ts'
import { parseStored } from './tables/stored-json.ts'
import type { MigrationState } from './migrations/migrate.ts'
import type { Database } from './tables/tables.ts'
import { VotesKept } from '../../model/api/pull-requests.ts'

/** Everything that is kept, whichever database keeps it. */
export interface Store {
  readonly repositories: RepositoryStore
  readonly reviews: ReviewStore
  readonly issues: IssueStore
  readonly sessions: SessionStore
  readonly leases: LeaseStore
  readonly reviewOrders: ReviewOrderStore
  readonly checkCache: CheckCache
  readonly workers: WorkerStore
  readonly providers: ProviderStore
  readonly deliveries: DeliveryStore
  readonly pullVotes: PullVoteStore
  readonly accessTokens: AccessTokenStore
  readonly audit: AuditStore
  /** The faults of the database; none when it is whole. May read all of it. */
  integrity(): Promise<readonly string[]>
  /** The migrations that were applied, and those that this version still wants. */
  migrations(): Promise<MigrationState>
  /** The same text for as long as nobody, in any process, writes anything. */
  version(): string
  /**
   * Calls the listener after each write of any process, with the session that it was about or an empty text; gives
   * back what ends it. Null where the database cannot tell, and has to be asked again and again.
   */
  readonly watch: ((listener: (sessionId: string) => void) => () => void) | null
  /** What agents say in other processes, as they say it. Null where nobody could pass it on. */
  readonly words: LiveWords | null
  /**
   * Whether the process that owns a session is alive, wherever it runs. Null where all processes are on this machine,
   * whose process table tells.
   */
  readonly isOwnerAlive: ((owner: string) => boolean) | null
  /** Looks again who is alive, where the database tells it. */
  readOwners(): Promise<void>
  /** What the database knows of the processes that share it. Null where all processes are on this machine. */
  readonly figures: (() => Promise<StoreFigures>) | null
  close(): Promise<void>
}

/** Figures for operators. */
export interface StoreFigures {
  /** How long ago the most silent of all processes that drive sessions or work on attempts renewed its lease. */
  readonly oldestLeaseMs: number
  /** How many workers ended while they worked on attempts that are given out and got no further since. */
  readonly deaths: number
  /** The connections of this process: all, those that nobody uses, and queries that wait for one. */
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number }
}

/** What is the same for every database. */
export const storeOn = (
  db: Database,
): Omit<
  Store,
  | 'integrity'
  | 'migrations'
  | 'version'
  | 'watch'
  | 'words'
  | 'isOwnerAlive'
  | 'readOwners'
  | 'figures'
  | 'close'
> => ({
  repositories: repositoryStore(db),
  reviews: reviewStore(db),
  issues: issueStore(db),
  sessions: sessionStore(db),
  leases: leaseStore(db),
  reviewOrders: reviewOrderStore(db),
  checkCache: checkCache(db),
  workers: workerStore(db),
  providers: providerStore(db),
  deliveries: deliveryStore(db),
  pullVotes: pullVoteStore(db),
  accessTokens: accessTokenStore(db),
  audit: auditStore(db),
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

const pullVoteStore = ({ query }: Pick<Database, 'query'>): PullVoteStore => ({
  async keep({ repositoryId, number }, votes) {
    const data = JSON.stringify(votes)
    await query
      .insertInto('pull_vote')
      .values({ repository_id: repositoryId, number, data })
      .onConflict((conflict) => conflict.columns(['repository_id', 'number']).doUpdateSet({ data }))
      .execute()
  },
  async ofRepository(repositoryId) {
    const rows = await query
      .selectFrom('pull_vote')
      .select(['number', 'data'])
      .where('repository_id', '=', repositoryId)
      .execute()
    return new Map(rows.map(({ number, data }) => [number, parseStored(VotesKept, data)]))
  },
})
