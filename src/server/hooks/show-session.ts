import { setTimeout as delay } from 'node:timers/promises'
import { createPullRequest } from '../../app/forge/create-pull-request.ts'
import type { StoredSession } from '../../loop/ports.ts'
import { asFault, isRetryable } from '../../model/fault.ts'
import { sessionComment } from '../../model/forge/session-comment.ts'
import type { SessionId } from '../../model/id.ts'
import { isOver, type Session } from '../../model/session/session.ts'
import type { Serving } from '../serving/serving.ts'

export interface ShownSession {
  readonly sessionId: SessionId
  /** The branch that what lands is proposed for. */
  readonly base: string
  /** Shows how it stands; the same text twice is shown once. */
  readonly show: (text: string, stored: StoredSession) => Promise<void>
  readonly stopping: AbortSignal
}

/** A comment is not rewritten more often. */
const pauseMs = 3_000

/** Shows how a session goes on until it is over, and proposes what landed each time it rests. */
export async function showSession(serving: Serving, request: ShownSession): Promise<void> {
  const { sessionId, base, show, stopping } = request
  const changes = watchChanges(serving, sessionId, stopping)
  let published: Proposed = { tip: null, url: null, trouble: null }
  try {
    while (!stopping.aborted) {
      const stored = await serving.findSession(sessionId)
      const { session, attempts } = stored
      if (isResting(session) && session.branch_made && published.tip !== session.tip.commit)
        published = await propose(serving, session, base)
      const issues = await serving.store.issues.get(session.issue_ids)
      const { url: pullUrl, trouble } = published
      await show(sessionComment({ session, attempts, issues, pullUrl, trouble }), stored)
      if (isOver(session)) return
      await changes.next()
    }
  } finally {
    changes.end()
  }
}

const isResting = (session: Session): boolean => isOver(session) || session.status === 'awaiting_approval'

/** What became of proposing a tip of the session's branch. */
interface Proposed {
  readonly tip: string | null
  readonly url: string | null
  readonly trouble: string | null
}

async function propose(
  serving: Serving,
  { id, repository_id, tip: { commit: tip } }: Session,
  base: string,
): Promise<Proposed> {
  try {
    const { url } = await serving.withRepository(repository_id, (app) =>
      createPullRequest(app, { session: id, base, isDraft: false }),
    )
    return { tip, url, trouble: null }
  } catch (error) {
    const fault = asFault(error)
    if (isRetryable(fault.code)) throw fault
    return { tip, url: null, trouble: fault.message }
  }
}

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
