import { Fault } from '../../../model/fault.ts'
import { parseDuration } from '../../../model/duration.ts'
import type { QueueKind } from '../../../loop/ports.ts'
import { openWorker } from '../../../app/worker/open-worker.ts'
import { createLog, logErrorTo, type LogLevel } from '../../../server/log.ts'
import type { RunCommand } from '../../command/context.ts'
import { leaveAfter, nextSignal } from '../../command/stop-signals.ts'

interface Options {
  readonly concurrency?: string
  readonly only?: QueueKind
  readonly grace: string
  readonly logLevel: LogLevel
}

/** Drives sessions from the queue until a signal asks it to drain; the second signal does not wait. */
export const runWorker: RunCommand<Options> = async ({ env, output, version }, options) => {
  const graceMs = readGrace(options.grace)
  const log = createLog(options.logLevel)
  const worker = await openWorker({
    env,
    version,
    concurrency: options.concurrency === undefined ? null : readConcurrency(options.concurrency),
    only: options.only,
    onError: logErrorTo(log),
    onEvent: ({ session_id, type, message }) => log.debug({ session_id, type }, message),
  })
  // Whoever reads that it works may ask it to drain at once.
  const signalled = nextSignal()
  const { concurrency } = worker
  const what = options.only ?? 'sessions, attempts and reviews'
  output.print(`Takes ${what} from the queue, ${concurrency} at once; Ctrl-C lets running steps finish.`)
  output.result({ schema: 'fixpoint.worker.v1', pid: process.pid, concurrency })
  const signal = await signalled
  log.info({ signal }, 'draining: running steps may finish; other workers go on with the sessions')
  const onLate = (): void => log.error({ waits_for: worker.waitsFor() }, 'leaves without having drained')
  leaveAfter({ graceMs, onLate })
  void nextSignal().then(() => {
    leaveAfter({ graceMs: 0, onLate })
    return worker.stop(0)
  })
  await worker.stop(graceMs)
  return 0
}

function readConcurrency(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (count > 0) return count
  throw new Fault('usage', `--concurrency ${text}: a number from 1 on is expected`)
}

function readGrace(text: string): number {
  const graceMs = parseDuration(text)
  if (graceMs !== null) return graceMs
  throw new Fault('usage', `--grace ${text}: a duration such as 60s is expected`)
}
