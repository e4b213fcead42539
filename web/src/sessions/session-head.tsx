import { useMutation } from '@tanstack/react-query'
import { standingOf } from '../../../src/client/index.ts'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { api } from '../api/client.ts'
import { formatCost, formatDuration, formatTokens } from '../ui/format.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { PageHead } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'
import { useNow } from '../ui/use-now.ts'
import type { LiveSession } from './use-session.ts'

interface Props {
  readonly session: SessionDetail
  readonly live: LiveSession
}

/** Where the session stands and what it has cost so far; cancel and resume. */
export function SessionHead({ session, live }: Props) {
  const cancel = useMutation({ mutationFn: () => api.cancel(session.session_id) })
  const resume = useMutation({ mutationFn: () => api.resume(session.session_id) })
  const isOver = session.ended_at !== null || live.view.isOver
  const nowMs = useNow(isOver ? null : 1_000)
  const endMs = session.ended_at === null ? nowMs : Date.parse(session.ended_at)
  const isAsking = [...live.view.lanes.values()].some(({ question }) => question !== null)
  return (
    <PageHead
      title={session.branch ?? 'No branch yet'}
      note={
        <span className="flex flex-wrap items-center gap-x-4">
          <StatusBadge status={standingOf(session)} />
          <span>
            {session.issues_fixed} of {session.issues_requested} fixed
          </span>
          <span title="Cost">{formatCost(session.cost_usd)}</span>
          <span title="Tokens">{formatTokens(session.tokens)} tokens</span>
          <span title="Time">{formatDuration(endMs - Date.parse(session.created_at))}</span>
        </span>
      }
    >
      <Problem error={cancel.error ?? resume.error} />
      {!isOver && session.resumable && !session.driven && !isAsking && (
        <Button look="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      {!isOver && (
        <Button look="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          {cancel.isPending ? 'Cancelling…' : 'Cancel session'}
        </Button>
      )}
    </PageHead>
  )
}
