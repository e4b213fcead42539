import type { SessionSignals } from '../../loop/session/run-session.ts'

/** What a person's signals ask of a command; disposing of it ends the listening. */
export interface Interrupts extends SessionSignals, Disposable {
  /** The exit code of the signal that came, if one came. */
  exitCode(): number | null
  /** Does what Ctrl-C does, for a screen that takes the keys itself. */
  interrupt(): void
}

/** Ctrl-C once: finish the running steps and stop, resumable. Twice, SIGTERM, or a closed terminal: stop now, resumable as well. */
export function listenForInterrupts(say: (text: string) => void): Interrupts {
  const stopStarting = new AbortController()
  const endNow = new AbortController()
  let code: number | null = null
  const onInterrupt = (): void => {
    code = 130
    if (stopStarting.signal.aborted) endNow.abort()
    else say('stopping: running steps finish first; Ctrl-C again stops now')
    stopStarting.abort()
  }
  const stopNow = (exitCode: number) => (): void => {
    code = exitCode
    stopStarting.abort()
    endNow.abort()
  }
  const [onHangUp, onTerminate] = [stopNow(129), stopNow(143)]
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)
  process.on('SIGHUP', onHangUp)
  return {
    stopStarting: stopStarting.signal,
    endNow: endNow.signal,
    exitCode: () => code,
    interrupt: onInterrupt,
    [Symbol.dispose]: () => {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', onTerminate)
      process.off('SIGHUP', onHangUp)
    },
  }
}
