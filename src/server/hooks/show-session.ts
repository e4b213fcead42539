import { setTimeout as delay } from 'node:timers/promises'
import type { StoredSession } from '../../loop/ports.ts'
import { sessionComment, type Proposal } from '../../model/forge/session-comment.ts'
import type { SessionId } from '../../model/id.ts'
import { isOver, type Session } from '../../model/session/session.ts'
import type { Serving } from '../serving/serving.ts'

export interface ShownSession {
  readonly sessionId: SessionId
  /** Offers what landed until now. */
  readonly propose: (session: Session) => Promise<Proposal>
  /** Shows how it stands; the same text twice is shown once. */
  readonly show: (text: string, stored: StoredSession) => Promise<void>
  readonly stopping: AbortSignal
}

/** A comment is not rewritten more often. */
const pauseMs = 3_000

/** Shows how a session goes on until it is over, and proposes what landed each time it rests. */
export async function showSession(serving: Serving, request: ShownSession): Promise<void> {
  const { sessionId, propose, show, stopping } = request
  const changes = watchChanges(serving, sessionId, stopping)
  let published: { readonly tip: string | null; readonly proposal: Proposal } = {
    tip: null,
    proposal: nothing,
  }
  try {
    while (!stopping.aborted) {
      const stored = await serving.findSession(sessionId)
      const { session, attempts } = stored
      if (isResting(session) && session.branch_made && published.tip !== session.tip.commit)
        published = { tip: session.tip.commit, proposal: await propose(session) }
      const issues = await serving.store.issues.get(session.issue_ids)
      await show(sessionComment({ session, attempts, issues, ...published.proposal }), stored)
      if (isOver(session)) return
      await changes.next()
    }
  } finally {
    changes.end()
  }
}

const isResting = (session: Session): boolean => isOver(session) || session.status === 'awaiting_approval'

const nothing: Proposal = { pullUrl: null, patch: null, trouble: null }

/** Resolves when the session has written something since it was asked last. */
function watchChanges(serving: Serving, id: SessionId, stopping: AbortSignal) {
  let heard = Promise.withResolvers<void>()
  const wake = (): void => heard.resolve()
  const end = serving.feeds.watch(id, 0, wake)
  stopping.addEventListener('abort', wake, { once: true })
  return {
    async next(): Promise<void> {
      await heard.promise
      if (!stopping.aborted) await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
      heard = Promise.withResolvers<void>()
    },
    end(): void {
      stopping.removeEventListener('abort', wake)
      end()
    },
  }
}
