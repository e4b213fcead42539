import { CompiledQuery, Kysely, sql } from 'kysely'
import { Pool, type ClientConfig } from 'pg'
import type { ProviderStore } from '../../../loop/ports.ts'
import { brokenRow, mostRows, type BrokenRow } from '../issues/broken-row.ts'
import { assertUpToDate, migrate, readMigrations, type MigrationState } from '../migrations/migrate.ts'
import { storeOn, type Store } from '../store.ts'
import type { Database, ExecuteMany, LockRepository, Tables } from '../tables/tables.ts'
import { openLiveWords } from './live-words.ts'
import { describePostgres } from './postgres-address.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { createProcessLeases, type ProcessLeases } from './process-leases.ts'
import { readFigures } from './read-figures.ts'
import { changeChannel, watchChanges } from './watch-changes.ts'

export interface PostgresStoreOptions {
  readonly url: string
  /** Machines whose clocks differ agree on who is silent and what has run out: the database's clock counts unless another is given. */
  readonly now?: () => number
  /** How many connections this process may use at once. */
  readonly connections?: number
  /** A statement that takes longer was sent on a connection that leads nowhere. */
  readonly statementMs?: number
}

/** Long enough to wait for the largest import into the same repository. */
const longestStatementMs = 120_000

/** Opens a database whose tables are up to date; `fixpoint db migrate` makes them. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { query, pool, address, changes, words } = connectPostgres({
    statementMs: longestStatementMs,
    ...options,
  })
  const leases = createProcessLeases(query)
  try {
    await assertUpToDate(query, address)
    await leases.open()
  } catch (error) {
    await query.destroy()
    throw error
  }
  const db: Database = {
    query,
    now: options.now ?? (() => Math.round(Date.now() + leases.aheadMs())),
    executeMany,
    countInserted: async () => {},
    lockRepository,
    forMany: async () => db,
  }
  const store = storeOn(db)
  return {
    ...holdingOwners(
      { ...store, providers: byClockOf(store.providers, options.now ? () => 0 : leases.aheadMs) },
      leases,
    ),
    integrity: async () => [...(await findInvalid(query)), ...(await findBroken(query))],
    migrations: () => readMigrations(query, address),
    version: changes.version,
    watch: changes.watch,
    words,
    isOwnerAlive: leases.isHeld,
    readOwners: leases.look,
    figures: () => readFigures(query, pool),
    close: async () => {
      await leases.close()
      await Promise.all([changes.close(), words.close()])
      await query.destroy()
    },
  }
}

/** A pause is asked for and told by this machine's clock, and kept by that of the database. */
const byClockOf = (providers: ProviderStore, aheadMs: () => number): ProviderStore => ({
  ...providers,
  pause: (provider, pause) =>
    providers.pause(provider, { ...pause, untilMs: Math.round(pause.untilMs + aheadMs()) }),
  async paused(provider) {
    const pause = await providers.paused(provider)
    return pause && { ...pause, untilMs: Math.round(pause.untilMs - aheadMs()) }
  },
})

/** Whoever is to own a session, an attempt, a delivery or a review is known to be alive before it does. */
function holdingOwners(
  store: ReturnType<typeof storeOn>,
  processes: Pick<ProcessLeases, 'hold'>,
): ReturnType<typeof storeOn> {
  const { sessions, leases, reviewOrders, issues, deliveries } = store
  const holding = async <Result>(owner: string | undefined | null, own: () => Promise<Result>) => {
    if (typeof owner === 'string') await processes.hold(owner)
    return own()
  }
  return {
    ...store,
    sessions: {
      ...sessions,
      create: (request) => holding(request.session.owner, () => sessions.create(request)),
      take: (id, terms) => holding(terms.owner, () => sessions.take(id, terms)),
    },
    leases: { ...leases, take: (offered, owner) => holding(owner, () => leases.take(offered, owner)) },
    reviewOrders: {
      ...reviewOrders,
      add: (job, review, owner) => holding(owner, () => reviewOrders.add(job, review, owner)),
      take: (offered, owner) => holding(owner, () => reviewOrders.take(offered, owner)),
    },
    issues: {
      ...issues,
      triage: (request) => holding(request.review.running?.owner, () => issues.triage(request)),
    },
    deliveries: {
      ...deliveries,
      take: (id, expected, owner) => holding(owner, () => deliveries.take(id, expected, owner)),
    },
  }
}

/** Makes the tables, or brings them up to this version; says which migrations were applied. */
export const migratePostgres = (url: string): Promise<readonly string[]> =>
  withPostgres(url, ({ query, address }) => migrate(query, address, prepareTables))

/** The shared queries use one function that SQLite has under another name. */
async function prepareTables(transaction: Kysely<Tables>): Promise<void> {
  await lockRepository(transaction, 'all')
  await sql`create or replace function instr(whole text, part text) returns integer
    language sql immutable parallel safe as 'select strpos(whole, part)'`.execute(transaction)
}

/** How far the tables of a database are. */
export const readPostgresMigrations = (url: string): Promise<MigrationState> =>
  withPostgres(url, ({ query, address }) => readMigrations(query, address))

export async function withPostgres<Result>(
  url: string,
  use: (connected: ReturnType<typeof connectPostgres>) => Promise<Result>,
): Promise<Result> {
  const connected = connectPostgres({ url, connections: 1 })
  try {
    return await use(connected)
  } finally {
    await connected.query.destroy()
  }
}

/** Queries on a database, whatever it holds. */
function connectPostgres({ url, connections = 8, statementMs }: Omit<PostgresStoreOptions, 'now'>) {
  const config = readUrl(url)
  const address = describePostgres(url)
  const changes = watchChanges(config)
  const pool = new Pool({
    ...config,
    max: connections,
    ...(statementMs !== undefined && { query_timeout: statementMs }),
  })
  // An idle connection that the server closes is taken out of the pool; the next query opens another one.
  pool.on('error', () => undefined)
  const dialect = postgresDialect({ pool, address, onWrite: changes.noteWrite })
  const words = openLiveWords({
    config,
    notify: (channel, payload) => pool.query('select pg_notify($1, $2)', [channel, payload]),
  })
  return { query: new Kysely<Tables>({ dialect }), pool, address, changes, words }
}

const readUrl = (url: string): ClientConfig => ({
  connectionString: url,
  application_name: 'fixpoint',
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  // A process that is frozen in the middle of a transaction must not keep its locks.
  idle_in_transaction_session_timeout: 10_000,
})

/** One statement per row would be one way to the server and back per row. */
const mostParameters = 30_000

/** Rows of a plain insert go in many at a time; other statements run once per row. */
const executeMany: ExecuteMany = async (transaction, statement, parameterLists) => {
  const insert = /^insert into [^(]+\([^)]*\) values (\((?:\$\d+(?:, )?)+\))$/.exec(statement.sql)
  const tuple = insert?.[1]
  if (tuple === undefined) {
    for (const parameters of parameterLists)
      await transaction.executeQuery(CompiledQuery.raw(statement.sql, [...parameters]))
    return
  }
  const start = statement.sql.slice(0, -tuple.length)
  const width = statement.parameters.length
  const most = Math.max(1, Math.floor(mostParameters / width))
  let rows: unknown[][] = []
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return
    const tuples = rows.map((_, row) => `(${numbers(row * width + 1, width)})`)
    await transaction.executeQuery(CompiledQuery.raw(start + tuples.join(', '), rows.flat()))
    rows = []
  }
  for (const parameters of parameterLists) {
    rows.push([...parameters])
    if (rows.length >= most) await flush()
  }
  await flush()
}

const numbers = (first: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `$${first + index}`).join(', ')

/** One statement takes the lock and tells all listeners that something will have changed. */
const lockRepository: LockRepository = async (transaction, of) => {
  if (of === 'all') {
    await sql`select ${lock(sql`'repositories'`)}, ${notify('')}`.execute(transaction)
    return
  }
  if ('repository' in of) await sql`select ${lock(sql`${of.repository}`)}, ${notify('')}`.execute(transaction)
  if ('issue' in of)
    await sql`select ${lock(sql`repository_id`)}, ${notify('')} from issue where id = ${of.issue}`.execute(
      transaction,
    )
  if ('session' in of)
    await sql`select ${lock(sql`repository_id`)}, ${notify(of.session)} from session where id = ${of.session}`.execute(
      transaction,
    )
}

const lock = (name: ReturnType<typeof sql>) => sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`

const notify = (payload: string) => sql`pg_notify(${changeChannel}, ${payload})`

/** PostgreSQL looks after its own pages; only an index that was never finished can be wrong. */
async function findInvalid(query: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select indexrelid::regclass::text as name from pg_index where not indisvalid`.execute(query)
  return rows.map(({ name }) => `the index ${name} is not valid`)
}

/** What `json_valid` is for SQLite; PostgreSQL has it from version 16 on only, so this transaction makes its own. */
const findBroken = async (query: Kysely<Tables>): Promise<readonly string[]> =>
  query.transaction().execute(async (transaction) => {
    await sql`create function pg_temp.is_json(given text) returns boolean language plpgsql as
      $$ begin perform given::json; return true; exception when others then return false; end $$`.execute(
      transaction,
    )
    const { rows } = await sql<BrokenRow>`
      select id, code from issue
      where not pg_temp.is_json(data) or not pg_temp.is_json(coalesce(lead, '{}')) limit ${mostRows}`.execute(
      transaction,
    )
    await sql`drop function pg_temp.is_json(text)`.execute(transaction)
    return rows.map(brokenRow)
  })
