import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { Fault } from '../../../model/fault.ts'
import { postgresFault } from './postgres-fault.ts'
import { isSignOfLife } from '../tables/signs-of-life.ts'

export interface PostgresDialectOptions {
  readonly pool: Pool
  /** The address without its password, for messages. */
  readonly address: string
  /** Called when something may have been written. */
  readonly onWrite: () => void
}

/** kysely over a pool of connections, with PostgreSQL's errors as faults. */
export const postgresDialect = (options: PostgresDialectOptions): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createDriver: () => ({
    init: async () => {},
    acquireConnection: () => acquire(options),
    beginTransaction: (connection, settings) => run(connection, beginText(settings)),
    commitTransaction: async (connection) => {
      await run(connection, 'commit')
      if ((connection as PostgresConnection).takeDirty()) options.onWrite()
    },
    rollbackTransaction: (connection) => run(connection, 'rollback'),
    releaseConnection: async (connection) => (connection as PostgresConnection).release(),
    destroy: () => options.pool.end(),
  }),
})

async function acquire({ pool, address, onWrite }: PostgresDialectOptions): Promise<PostgresConnection> {
  try {
    return new PostgresConnection(await pool.connect(), address, onWrite)
  } catch (error) {
    throw postgresFault(error, address)
  }
}

const run = (connection: DatabaseConnection, sql: string): Promise<void> =>
  (connection as PostgresConnection).run(sql)

function beginText({ isolationLevel, accessMode }: TransactionSettings): string {
  const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean)
  return ['begin', modes.join(', ')].filter(Boolean).join(' ')
}

const writes: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE'])

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient
  readonly #address: string
  readonly #onWrite: () => void
  /** A connection that broke is not given to anybody else. */
  #broken: Error | null = null
  #isDirty = false

  constructor(client: PoolClient, address: string, onWrite: () => void) {
    this.#client = client
    this.#address = address
    this.#onWrite = onWrite
    // Without a listener, a connection that the server closes would end this process.
    client.on('error', this.#onError)
  }

  readonly #onError = (error: Error): void => void (this.#broken = error)

  async run(sql: string): Promise<void> {
    await this.#query(sql, [])
  }

  /** Whether something was written since this was asked last; some transactions only read. */
  takeDirty(): boolean {
    const isDirty = this.#isDirty
    this.#isDirty = false
    return isDirty
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await this.#query(sql, parameters.map(storable))
    if (!writes.has(command)) return { rows: rows as Row[] }
    if (!isSignOfLife(query)) {
      this.#isDirty = true
      this.#onWrite()
    }
    return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) }
  }

  // oxlint-disable-next-line require-yield -- the interface asks for it; nothing here streams.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Fault('internal', 'The PostgreSQL store does not stream.')
  }

  release(): void {
    this.#client.off('error', this.#onError)
    this.#client.release(this.#broken ?? undefined)
  }

  async #query(sql: string, values: unknown[]) {
    try {
      return await this.#client.query(sql, values)
    } catch (error) {
      const fault = postgresFault(error, this.#address)
      if (fault instanceof Fault && fault.code === 'store_unreachable') this.#broken = fault
      throw fault
    }
  }
}

/** PostgreSQL's text holds no NUL; in JSON it is written as an escape, so this is only about columns that are looked up. */
const storable = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
