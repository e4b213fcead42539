import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { standingOf } from '../../../src/client/index.ts'
import { approvalsQuery } from '../api/queries.ts'
import { formatDate, formatSentence, formatWord, plural } from '../ui/format.ts'
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
  const wanted = describeWanted({ asks: asks && isAsking, held: isAsking ? held : 0, disputes })
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
      {wanted !== null && (
        <Notice tone="warn">
          {wanted} <AnswerLink session={session} />
        </Notice>
      )}
      {view.isOver && view.ending && !/^(?:\d+ of \d+ fixed|cancelled)$/.test(view.ending) && (
        <Notice tone={session.issues_fixed === session.issues_requested ? 'ok' : 'warn'}>
          {view.ending}
        </Notice>
      )}
    </div>
  )
})

interface Wanted {
  readonly asks: boolean
  readonly held: number
  readonly disputes: number
}

/** Everything that waits for the person, in one sentence; null when nothing does. */
export function describeWanted({ asks, held, disputes }: Wanted): string | null {
  const what = [
    ...(asks ? ['questions'] : []),
    ...(held > 0 ? [plural(held, 'patch', 'patches')] : []),
    ...(disputes > 0 ? [plural(disputes, 'dispute')] : []),
  ]
  if (what.length === 0) return null
  const isOne = !asks && held + disputes === 1
  return `${formatWord(what.join(' and '))} ${isOne ? 'waits' : 'wait'} for your answer.`
}

/** The obstacles of a session in the words of a person, before what the agent says of them. */
const obstacles: Readonly<Record<string, string>> = {
  auth: 'a login is refused',
  quota: 'a quota is used up',
  rate_limited: 'a provider lets nobody through for now',
  overloaded: 'a provider is overloaded',
  model_not_found: 'a model is not known',
  tools_unavailable: 'an agent has no tools',
  budget: 'the budget is spent',
  breaker: 'every issue fails in the same way',
  clarifier: 'the questions could not be asked',
  disk: 'the disk is full',
  worker: 'no worker can go on with it',
}

/** The reason of the rest without its commands, because the page has buttons for them. */
const restReason = (message: string): string =>
  message
    .replace(/[:;] fixpoint resume ses_\w+ goes on/, '')
    .replace(/ && fixpoint resume ses_\w+/, ', then Resume')
    .replace(/fixpoint resume ses_\w+/, 'Resume')
    .replace(/^([a-z_]+): (.*)/s, (said, kind: string, rest: string) =>
      obstacles[kind] ? `${obstacles[kind]}. ${formatSentence(rest)}` : said,
    )
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
