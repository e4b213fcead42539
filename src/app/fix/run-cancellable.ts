import { runSession, type SessionSignals } from '../../loop/session/run-session.ts'
import type { StoredSession } from '../../loop/ports.ts'
import { isOver } from '../../model/session/session.ts'
import type { App } from '../open-app.ts'
import { collectSomeArtifacts } from '../collect-artifacts.ts'
import { cancelSession } from './cancel-session.ts'

const askEveryMs = 500

/** Drives a session that any process may cancel: this one looks for such a request again and again, and then ends it at once. */
export async function runCancellable(
  app: App,
  stored: StoredSession,
  signals: SessionSignals,
): Promise<StoredSession> {
  const { id } = stored.session
  const cancelled = new AbortController()
  const timer = setInterval(() => {
    app.store.sessions.isCancelRequested(id).then(
      (isRequested) => isRequested && cancelled.abort('cancelled by a person'),
      // A store that cannot be read now is read again in a moment; if it stays so, the session itself fails.
      () => undefined,
    )
  }, askEveryMs)
  try {
    const stopStarting = AbortSignal.any([signals.stopStarting, cancelled.signal])
    const endNow = AbortSignal.any([signals.endNow, cancelled.signal])
    const ended = await runSession(stored, await app.ports(), { ...signals, stopStarting, endNow })
    await collectSomeArtifacts(app)
    if (!cancelled.signal.aborted || isOver(ended.session)) return ended
    await cancelSession(app, id)
    return (await app.store.sessions.load(id)) ?? ended
  } finally {
    clearInterval(timer)
  }
}
