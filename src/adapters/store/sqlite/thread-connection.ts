import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { Fault } from '../../../model/fault.ts'
import { takeSome } from './sqlite-connection.ts'
import type { ThreadAnswer, ThreadCall, ThreadData, ThreadRequest } from './sqlite-thread.ts'

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Fault) => void
}

const rowsPerMessage = 500
/** Rows that wait to be written outlive the collections of a smaller space, and are collected later at ten times the cost. */
const roomForRows = '--min-semi-space-size=2'
/** The rows of so many messages may be on their way: the next ones are made meanwhile. */
const maxUnderway = 8

/** A connection in a thread beside this one: this one goes on while many rows are written. */
export class ThreadConnection implements DatabaseConnection {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #ended: Fault | null = null

  constructor(entry: string, data: ThreadData, onEnd: () => void) {
    setFlagsFromString(roomForRows)
    this.#worker = new Worker(entry, {
      workerData: data,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxYoungGenerationSizeMb: data.newObjectsMb ?? 6 },
    })
    this.#worker.on('message', (answer: ThreadAnswer) => this.#answerCall(answer))
    this.#worker.once('error', (error) => {
      this.#end(`The thread that writes to the database failed: ${String(error)}`)
    })
    this.#worker.once('exit', () => {
      this.#end('The thread that writes to the database has ended')
      onEnd()
    })
    this.#worker.unref()
  }

  readonly prepare = (): Promise<void> => this.#ask({ do: 'prepare' })
  readonly beginRead = (): Promise<void> => this.#ask({ do: 'beginRead' })
  readonly checkpoint = (): Promise<void> => this.#ask({ do: 'checkpoint' })
  readonly rollback = (): Promise<void> => this.#ask({ do: 'rollback' })

  beginWrite(): Promise<void> {
    return this.#ask({ do: 'beginWrite' })
  }

  commit(): Promise<void> {
    return this.#ask({ do: 'commit' })
  }

  executeQuery<Result>({ sql, parameters, query, queryId }: CompiledQuery): Promise<QueryResult<Result>> {
    const isReturning = 'returning' in query && query.returning !== undefined
    const slim = { kind: query.kind, ...(isReturning && { returning: true }) }
    return this.#ask({
      do: 'query',
      query: { sql, parameters, query: slim, queryId } as unknown as CompiledQuery,
    })
  }

  // oxlint-disable-next-line require-yield -- the interface asks for it; nothing here streams.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Fault('internal', 'The SQLite store does not stream.')
  }

  /** One prepared statement for many rows, which are made while earlier ones are written. */
  async executeMany(sql: string, parameterLists: Iterable<readonly unknown[]>): Promise<void> {
    const underway: Promise<void>[] = []
    const rows = parameterLists[Symbol.iterator]()
    for (;;) {
      const some = takeSome(rows, rowsPerMessage)
      if (some.length === 0) break
      const written = this.#ask<void>({ do: 'rows', sql, rows: some })
      // When one fails, those behind it fail too, and nobody waits for them any more.
      written.catch(() => undefined)
      underway.push(written)
      if (underway.length >= maxUnderway) await underway.shift()
    }
    await Promise.all(underway)
  }

  async close(): Promise<void> {
    if (this.#ended) return
    await this.#ask({ do: 'close' })
    await this.#worker.terminate()
  }

  #ask<Result>(call: ThreadCall): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#ended)
    const id = (this.#last += 1)
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
      this.#worker.postMessage({ id, call } satisfies ThreadRequest)
    })
  }

  #answerCall({ id, result, failed }: ThreadAnswer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if (failed) waiting?.reject(new Fault(failed.code, failed.message, failed))
    else waiting?.resolve(result)
  }

  #end(what: string): void {
    this.#ended ??= new Fault('store_failed', what, { hint: 'Nothing half-written was kept. Run it again.' })
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }
}

/** The sources and the build keep it at different places. */
export function threadEntry(): string | null {
  const places = [
    './sqlite-thread.ts',
    '../adapters/store/sqlite/sqlite-thread.js',
    './adapters/store/sqlite/sqlite-thread.js',
  ]
  return (
    places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path)) ??
    null
  )
}
