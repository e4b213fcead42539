import { runSession, type SessionSignals } from '../../loop/session/run-session.ts'
import type { StoredSession } from '../../loop/ports.ts'
import type { SessionId } from '../../model/id.ts'
import type { SessionNote } from '../../model/session/note.ts'
import { cancelledByPerson, isOver } from '../../model/session/session.ts'
import type { App } from '../open-app.ts'
import { collectSomeArtifacts } from '../collect-artifacts.ts'
import { requireForeignSafe } from '../trust/foreign-code.ts'
import { cancelSession } from './cancel-session.ts'

const askEveryMs = 500

export interface DriveSignals extends SessionSignals {
  /** Takes what a person answered in another process. */
  readonly onAnswer?: (answer: Extract<SessionNote, { kind: 'answer' }>) => void
}

/**
 * Drives a session that any process may cancel, stop or answer: this one looks for such wishes again and again, and
 * follows them at once.
 */
export async function runCancellable(
  app: App,
  stored: StoredSession,
  signals: DriveSignals,
): Promise<StoredSession> {
  const { id } = stored.session
  await requireForeignSafe(app, stored)
  const wishes = watchWishes(app, id, signals.onAnswer)
  try {
    const stopStarting = AbortSignal.any([signals.stopStarting, wishes.stopped, wishes.cancelled])
    const endNow = AbortSignal.any([signals.endNow, wishes.ended, wishes.cancelled])
    const ended = await runSession(stored, await app.ports(), { ...signals, stopStarting, endNow })
    await collectSomeArtifacts(app)
    if (!wishes.cancelled.aborted || isOver(ended.session)) return ended
    await cancelSession(app, id)
    return (await app.store.sessions.load(id)) ?? ended
  } finally {
    wishes.close()
  }
}

interface Wishes {
  readonly cancelled: AbortSignal
  readonly stopped: AbortSignal
  /** Asked to stop twice. */
  readonly ended: AbortSignal
  close(): void
}

function watchWishes(app: App, id: SessionId, onAnswer: DriveSignals['onAnswer']): Wishes {
  const [cancelled, stopped, ended] = [new AbortController(), new AbortController(), new AbortController()]
  const take = (note: SessionNote): void => {
    if (note.kind === 'answer') onAnswer?.(note)
    else if (stopped.signal.aborted) ended.abort()
    else stopped.abort('stopped by a person')
  }
  const look = async (): Promise<void> => {
    if (await app.store.sessions.isCancelRequested(id)) cancelled.abort(cancelledByPerson)
    for (const note of await app.store.sessions.takeNotes(id)) take(note)
  }
  // A store that cannot be read now is read again in a moment; if it stays so, the session itself fails.
  const timer = setInterval(() => void look().catch(() => undefined), askEveryMs)
  return {
    cancelled: cancelled.signal,
    stopped: stopped.signal,
    ended: ended.signal,
    close: () => clearInterval(timer),
  }
}
