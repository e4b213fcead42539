import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { standingOf } from '../../../src/client/index.ts'
import { approvalsQuery } from '../api/queries.ts'
import { formatDate, formatWord, plural } from '../ui/format.ts'
import type { FollowState, SessionView } from '../../../src/client/index.ts'
import { useWaitsForWorker } from './use-waits-for-worker.ts'

interface Props extends Pick<SessionView, 'parked' | 'isOver' | 'ending'> {
  readonly session: SessionDetail
  /** The state of the connection to the server. */
  readonly state: FollowState
  /** How many patches wait for a person. */
  readonly held: number
}

/** Notices that a person must see at once: the connection is lost, the session rests, something waits for them, or how it ended. */
export const SessionNotices = memo(function SessionNotices({ session, state, held, ...view }: Props) {
  const waiting = useQuery(approvalsQuery(session.repository_id)).data?.approvals ?? []
  const disputes = waiting.filter(
    ({ session_id, gate }) => session_id === session.session_id && gate === 'dispute',
  ).length
  const asks = session.status === 'awaiting_clarification'
  const waitsForWorker = useWaitsForWorker(session)
  const isAsking = (held > 0 || asks) && !view.isOver
  return (
    <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
      {state === 'waiting' && (
        <Notice tone="warn">
          The connection is lost. It is taken up again by itself; nothing is missed.
        </Notice>
      )}
      {view.parked !== null && !isAsking && (
        <Notice tone="warn">The session rests: {restReason(view.parked)}</Notice>
      )}
      {standingOf(session) === 'stopped' && view.parked === null && !isAsking && (
        <Notice tone="warn">Nobody works on the session. Resume goes on where it stopped.</Notice>
      )}
      {waitsForWorker && (
        <Notice tone="warn">
          No worker has taken the session yet.{' '}
          <Link to="/workers" className="font-medium text-accent underline">
            Workers
          </Link>
        </Notice>
      )}
      {isAsking && (
        <Notice tone="warn">
          {asks
            ? 'Questions wait for your answer.'
            : `${plural(held, 'patch waits', 'patches wait')} for your answer.`}{' '}
          <AnswerLink session={session} />
        </Notice>
      )}
      {view.isOver && view.ending && !/^(?:\d+ of \d+ fixed|cancelled)$/.test(view.ending) && (
        <Notice tone={session.issues_fixed === session.issues_requested ? 'ok' : 'warn'}>
          {view.ending}
        </Notice>
      )}
      {disputes > 0 && (
        <Notice tone="warn">
          {plural(disputes, 'dispute waits', 'disputes wait')} for your answer.{' '}
          <AnswerLink session={session} />
        </Notice>
      )}
    </div>
  )
})

/** The reason of the rest without its commands, because the page has buttons for them. */
const restReason = (message: string): string =>
  message
    .replace(/[:;] fixpoint resume ses_\w+ goes on/, '')
    .replace(/ && fixpoint resume ses_\w+/, ', then Resume')
    .replace(/fixpoint resume ses_\w+/, 'Resume')
    .replace(/^[a-z]+_[a-z_]+(?=: )/, (kind) => formatWord(kind).toLowerCase())
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, formatDate)

const AnswerLink = ({ session }: { readonly session: SessionDetail }) => (
  <Link
    to="/r/$repositoryId/needs-you"
    params={{ repositoryId: session.repository_id }}
    className="font-medium text-accent underline"
  >
    Answer
  </Link>
)

const Notice = ({ tone, children }: { readonly tone: 'ok' | 'warn'; readonly children: ReactNode }) => (
  <p
    className={`rounded-lg border bg-surface px-4 py-2.5 shadow-[inset_3px_0_0_currentColor] ${tone === 'ok' ? 'text-ok' : 'text-warn'}`}
  >
    <span className="text-fg">{children}</span>
  </p>
)
