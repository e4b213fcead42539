import { useMutation } from '@tanstack/react-query'
import { memo, useState } from 'react'
import { standingOf } from '../../../src/client/index.ts'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { api } from '../api/client.ts'
import { formatCost, formatDuration, formatTokens, sessionName } from '../ui/format.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { PageHead } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'
import { toast } from '../ui/toasts.tsx'
import { useNow } from '../ui/use-now.ts'
import { useWaitsForWorker } from './use-waits-for-worker.ts'

interface Props {
  readonly session: SessionDetail
  readonly isOver: boolean
  /** Whether a patch or a question waits for a person, whose answer lets the session go on. */
  readonly isAsking: boolean
}

/** The state and the cost of the session; stop, resume and cancel. The head is drawn when one of these changes. */
export const SessionHead = memo(function SessionHead({ session, isOver, isAsking }: Props) {
  return (
    <PageHead
      title={sessionName(session)}
      note={
        <span className="flex flex-wrap items-center gap-x-4">
          <StatusBadge status={standingOf(session)} />
          <span>
            {session.issues_fixed} of {session.issues_requested} fixed
          </span>
          <span title="Cost">{formatCost(session.cost_usd)}</span>
          <span title="Tokens" className="max-sm:hidden">
            {formatTokens(session.tokens)} tokens
          </span>
          <Clock session={session} isRunning={!isOver && session.driven} />
        </span>
      }
    >
      {!isOver && <Steering session={session} isAsking={isAsking} />}
    </PageHead>
  )
})

/** The elapsed time; the clock stands still while nobody works on the session. */
function Clock({ session, isRunning }: { readonly session: SessionDetail; readonly isRunning: boolean }) {
  const nowMs = useNow(isRunning ? 1_000 : null)
  const endMs = isRunning ? nowMs : Date.parse(session.ended_at ?? session.updated_at)
  return <span title="Time">{formatDuration(endMs - Date.parse(session.created_at))}</span>
}

function Steering({ session, isAsking }: Omit<Props, 'isOver'>) {
  const { session_id: id, driven, resumable } = session
  const [isCancelling, setIsCancelling] = useState(false)
  const stop = useMutation({
    mutationFn: () => api.stop(id),
    onSuccess: () => toast('The session stops after the steps at work now', () => void api.resume(id)),
  })
  const resume = useMutation({
    mutationFn: () => api.resume(id),
    onSuccess: () => toast('The session goes on'),
  })
  const cancel = useMutation({
    mutationFn: () => api.cancel(id),
    onSuccess: () => {
      setIsCancelling(false)
      toast('The session is cancelled; its issues are open again')
    },
  })
  const waitsForWorker = useWaitsForWorker(session)
  return (
    <>
      <Problem error={stop.error ?? resume.error} />
      {resumable && !driven && !isAsking && !waitsForWorker && (
        <Button look="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      {driven && (
        <Button disabled={stop.isPending} onClick={() => stop.mutate()}>
          {stop.isSuccess ? 'Stop now' : 'Stop'}
        </Button>
      )}
      <Button look="danger" onClick={() => setIsCancelling(true)}>
        <span>
          Cancel<span className="max-sm:sr-only"> session</span>
        </span>
      </Button>
      {isCancelling && (
        <FormDialog
          title="Cancel this session?"
          act="Cancel for good"
          look="danger"
          isReady={!cancel.isPending}
          error={cancel.error}
          onClose={() => setIsCancelling(false)}
          onSubmit={() => cancel.mutate()}
        >
          <p className="text-muted">
            What has landed stays on its branch. Work in progress is thrown away, and its issues are open
            again. It cannot be resumed; Stop can.
          </p>
        </FormDialog>
      )}
    </>
  )
}
