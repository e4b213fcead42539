import { exitCodeOf } from '../../model/fault.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The next signal that asks this process to end; from now until then it does not end by itself. */
export const nextSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      for (const name of stopSignals) process.off(name, onSignal)
      resolve(signal)
    }
    for (const name of stopSignals) process.on(name, onSignal)
  })

/** What is to be written and closed after the grace takes moments, unless the database or the bucket does not answer. */
const closingMs = 20_000

interface Leaving {
  readonly graceMs: number
  /** Called when it has to leave without having put everything in order. */
  readonly onLate: () => void
}

/**
 * Ends this process when it is still there some time after the grace: what it waits for may never answer. Others go on
 * with its work as if it had been killed, and its agents end with it.
 */
export function leaveAfter({ graceMs, onLate }: Leaving): void {
  const leave = (): void => {
    onLate()
    process.exit(exitCodeOf('store_unreachable'))
  }
  // It keeps nothing alive by itself, so it ends only a process that something else keeps.
  setTimeout(leave, graceMs + closingMs).unref()
}
