/** A thread with a connection of its own; see ThreadConnection. */
import { parentPort, workerData } from 'node:worker_threads'
import type { CompiledQuery } from 'kysely'
import { Fault, type FaultCode, type FaultOptions } from '../../../model/fault.ts'
import { SqliteConnection } from './sqlite-connection.ts'

export interface ThreadData {
  readonly file: string
  readonly busyTimeoutMs: number
  /** Another thread copies into the file what this one commits. */
  readonly isCopiedElsewhere?: boolean
  /** The room of its heap for new objects. */
  readonly newObjectsMb?: number
}

/** The requests to the thread; a query is cut down to what a message can carry. */
export type ThreadCall =
  | { readonly do: 'prepare' | 'beginRead' | 'beginWrite' | 'commit' | 'rollback' | 'checkpoint' | 'close' }
  | { readonly do: 'query'; readonly query: CompiledQuery }
  | { readonly do: 'rows'; readonly sql: string; readonly rows: readonly (readonly unknown[])[] }

export interface ThreadRequest {
  readonly id: number
  readonly call: ThreadCall
}

export interface ThreadAnswer {
  readonly id: number
  readonly result?: unknown
  readonly failed?: { readonly code: FaultCode; readonly message: string } & Pick<
    FaultOptions,
    'hint' | 'details'
  >
}

const { file, busyTimeoutMs, isCopiedElsewhere } = workerData as ThreadData
const connection = new SqliteConnection(file, busyTimeoutMs)
if (isCopiedElsewhere) connection.leaveCheckpoints()

async function carryOut(call: ThreadCall): Promise<unknown> {
  if (call.do === 'query') return connection.executeQuery(call.query)
  if (call.do === 'rows') return connection.executeMany(call.sql, call.rows)
  return connection[call.do]()
}

async function answer({ id, call }: ThreadRequest): Promise<ThreadAnswer> {
  try {
    return { id, result: await carryOut(call) }
  } catch (error) {
    return { id, failed: toFailure(error) }
  }
}

function toFailure(error: unknown): NonNullable<ThreadAnswer['failed']> {
  if (!(error instanceof Fault)) return { code: 'internal', message: String(error) }
  const { code, message, hint, details } = error
  return { code, message, hint, details }
}

// One after the other, in the order in which they were asked.
let last: Promise<void> = Promise.resolve()
parentPort?.on('message', (request: ThreadRequest) => {
  last = last.then(async () => parentPort?.postMessage(await answer(request)))
})
