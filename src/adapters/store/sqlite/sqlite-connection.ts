import { statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { Fault } from '../../../model/fault.ts'
import { NewestMap } from '../../../model/newest-map.ts'
import { isSignOfLife } from '../tables/signs-of-life.ts'
import { isBusy, isMisuse, sqliteFault } from './sqlite-fault.ts'

const keptStatements = 200
const rowsPerTurn = 2_000
/** Each statement has a fixed cost, in the call and in SQLite. */
const rowsPerInsert = 50
const writes: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

/** The one connection of this process to the file. Waiting for another process never blocks the event loop. */
export class SqliteConnection implements DatabaseConnection {
  readonly #file: string
  readonly #busyTimeoutMs: number
  readonly #database: DatabaseSync
  readonly #inode: number
  readonly #statements = new NewestMap<string, StatementSync>(keptStatements)
  #writing = false
  /** Whether something failed since the transaction began. */
  #failed = false
  /** Whether rows failed since the transaction began, which ends it. */
  #rowsFailed = false
  /** Whether something was written since the last transaction ended; some only read. */
  #dirty = false
  /** How often this connection may have changed something. */
  #written = 0

  constructor(file: string, busyTimeoutMs: number) {
    this.#file = file
    this.#busyTimeoutMs = busyTimeoutMs
    try {
      this.#database = new DatabaseSync(file)
      this.#inode = statSync(file).ino
    } catch (error) {
      throw sqliteFault(error, file)
    }
  }

  /** Several processes read while one writes; a crash of the process loses nothing that was committed. */
  async prepare(): Promise<void> {
    await this.#patiently(() => {
      // Waiting is done below, asynchronously, because this one would stop the whole process meanwhile.
      this.#database.exec('pragma busy_timeout = 0')
      // Counts for a new file only: rows of a kilobyte fill small pages badly, and large imports write fewer of these.
      this.#database.exec('pragma page_size = 16384')
      this.#database.exec('pragma journal_mode = wal')
      this.#database.exec('pragma synchronous = normal')
      this.#database.exec('pragma foreign_keys = on')
      this.#database.exec('pragma cache_size = -16384')
      this.#database.exec('pragma journal_size_limit = 67108864')
    })
  }

  /** From now on somebody else copies what was committed into the file. */
  leaveCheckpoints(): void {
    this.#database.exec('pragma wal_autocheckpoint = 0')
  }

  /** Copies what was committed into the file; writers go on meanwhile. What is in use is left to the next time. */
  checkpoint(): void {
    this.#withFaults(() => this.#database.exec('pragma wal_checkpoint(passive)'))
  }

  async executeQuery<Result>(query: CompiledQuery): Promise<QueryResult<Result>> {
    const run = () => this.#run<Result>(query)
    if (this.#writing) {
      this.#assertGoesOn()
      return this.#withFaults(run)
    }
    if (writes.has(query.query.kind)) this.#assertFileInPlace()
    return this.#patiently(run)
  }

  // oxlint-disable-next-line require-yield -- the interface asks for it; nothing here streams.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Fault('internal', 'The SQLite store does not stream.')
  }

  /** One prepared statement for many rows, giving other work a turn now and then. */
  async executeMany(sql: string, parameterLists: Iterable<readonly unknown[]>): Promise<void> {
    const statement = this.#withFaults(() => this.#statement(sql))
    const joined = joinInserts(sql)
    const rows = parameterLists[Symbol.iterator]()
    this.#dirty = true
    const runSome = (): boolean => {
      if (!this.#writing || this.#failed) throw endedFault()
      for (let count = 0; count < rowsPerTurn; count += rowsPerInsert) {
        const some = takeSome(rows as Iterator<readonly SQLInputValue[]>, rowsPerInsert)
        if (joined !== null && some.length === rowsPerInsert) this.#statement(joined).run(...some.flat())
        else for (const row of some) statement.run(...row)
        if (some.length < rowsPerInsert) return false
      }
      return true
    }
    try {
      while (this.#withFaults(runSome)) await setImmediate()
    } catch (error) {
      this.#rowsFailed = true
      throw error
    }
  }

  async beginRead(): Promise<void> {
    await this.#patiently(() => this.#database.exec('begin'))
  }

  async beginWrite(): Promise<void> {
    this.#assertFileInPlace()
    await this.#patiently(() => this.#database.exec('begin immediate'))
    this.#writing = true
    this.#failed = false
    this.#rowsFailed = false
  }

  commit(): void {
    this.#assertGoesOn()
    this.#withFaults(() => this.#database.exec('commit'))
    if (this.#dirty) this.#written += 1
    this.#dirty = false
    this.#writing = false
  }

  rollback(): void {
    this.#writing = false
    try {
      this.#database.exec('rollback')
    } catch (error) {
      // A full disk makes SQLite roll back by itself; then there is no transaction any more.
      if (!isMisuse(error)) throw sqliteFault(error, this.#file)
    }
  }

  /** Another text after every write that is news, whoever wrote. */
  version(): string {
    const { data_version: others } = this.#statement('pragma data_version').get() as { data_version: number }
    return `${others}.${this.#written}`
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  /** What is written after a transaction has ended would be committed at once. */
  #assertGoesOn(): void {
    if (this.#rowsFailed) throw endedFault()
  }

  #run<Result>({ sql, parameters, query }: CompiledQuery): QueryResult<Result> {
    const statement = this.#statement(sql)
    const values = parameters as readonly SQLInputValue[]
    if (writes.has(query.kind) && !isSignOfLife(query)) {
      this.#written += 1
      this.#dirty = true
    }
    const isWrite = writes.has(query.kind) && !('returning' in query && query.returning)
    if (!isWrite) return { rows: statement.all(...values) as Result[] }
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #withFaults<Result>(run: () => Result): Result {
    try {
      return run()
    } catch (error) {
      this.#failed = true
      throw sqliteFault(error, this.#file)
    }
  }

  async #patiently<Result>(run: () => Result): Promise<Result> {
    const deadline = performance.now() + this.#busyTimeoutMs
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        return run()
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw sqliteFault(error, this.#file)
        // Uneven on purpose: processes that wait in step would meet again and again.
        await setTimeout(waitMs * (0.5 + Math.random()))
      }
    }
  }

  /** SQLite would go on writing to a deleted file, and all of it would be lost. */
  #assertFileInPlace(): void {
    if (statSync(this.#file, { throwIfNoEntry: false })?.ino === this.#inode) return
    throw new Fault(
      'store_failed',
      `The database ${this.#file} was deleted or replaced while it was in use`,
      {
        hint: 'Put it back, or start again with the new one.',
      },
    )
  }
}

const endedFault = (): Fault => new Fault('internal', 'The transaction of these rows has ended')

/**
 * The statement that inserts `rowsPerInsert` rows instead of one; null where it is no plain insert. One that fails ends
 * the transaction: to undo the statement alone, SQLite would keep a copy of every page that it touches.
 */
function joinInserts(sql: string): string | null {
  const tuple = /^insert into [^(]+\([^)]*\) values (\((?:\?(?:, )?)+\))$/.exec(sql)?.[1]
  return tuple === undefined
    ? null
    : sql.replace('insert', 'insert or rollback') + `, ${tuple}`.repeat(rowsPerInsert - 1)
}

/** The next items, as many as there are up to `count`. */
export function takeSome<Item>(items: Iterator<Item>, count: number): readonly Item[] {
  const taken: Item[] = []
  while (taken.length < count) {
    const next = items.next()
    if (next.done === true) break
    taken.push(next.value)
  }
  return taken
}
