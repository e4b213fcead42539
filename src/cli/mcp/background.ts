import { beginSession } from '../../app/fix/fix-issues.ts'
import { runCancellable } from '../../app/fix/run-cancellable.ts'
import type { App } from '../../app/open-app.ts'
import type { Issue } from '../../model/issue/issue.ts'

/** Sessions that run while the client asks about them. */
export interface Background {
  /** Begins a session and gives its id; one that was completed a moment ago for the same issues is found again. */
  start(issues: readonly Issue[], notes: string | null): Promise<string>
  /** Puts every session down, resumable, and waits for it. */
  stop(): Promise<void>
}

export function createBackground(app: App, say: (text: string) => void): Background {
  const stopStarting = new AbortController()
  const endNow = new AbortController()
  const running = new Set<Promise<void>>()
  return {
    async start(issues, notes) {
      const { stored, isNew } = await beginSession(app, { issues, ...(notes !== null && { notes }) })
      if (isNew) {
        const signals = { stopStarting: stopStarting.signal, endNow: endNow.signal }
        const run = runCancellable(app, stored, signals)
          .then(
            () => undefined,
            (error: unknown) => say(`${stored.session.id}: ${String(error)}`),
          )
          .finally(() => running.delete(run))
        running.add(run)
      }
      return stored.session.id
    },
    async stop() {
      stopStarting.abort()
      endNow.abort()
      await Promise.allSettled(running)
    },
  }
}
