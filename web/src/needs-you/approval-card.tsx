import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { PendingApproval, ApprovalAnswer } from '../../../src/model/api/sessions.ts'
import { api } from '../api/client.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { formatSentence, formatWord } from '../ui/format.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Card } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'
import { toast } from '../ui/toasts.tsx'
import { RejectDialog } from './reject-dialog.tsx'
import { Prose } from '../ui/prose.tsx'
import { visible } from '../ui/visible.ts'

interface Wording {
  readonly badge: string
  readonly approve: string
  readonly reject: string
  readonly means: string
}

/** Acts of a patch that a gate does not let pass by itself. */
const badges: Readonly<Record<string, string>> = {
  tamper: 'Changes what judges it',
  scope: 'Leaves its scope',
  alone: 'Needs other files',
}

/** The words around a question. A dispute is about the finding; every gate asks about files. */
function wordingOf({ gate, files }: PendingApproval): Wording {
  if (gate === 'dispute')
    return {
      badge: 'Disputed',
      approve: 'Agree and ignore the issue',
      reject: 'Disagree…',
      means: 'Agreeing ignores the issue. Disagreeing leaves it open, and the next fixer reads why.',
    }
  const what = files.length === 1 ? 'this file' : `these ${files.length} files`
  return {
    badge: badges[gate] ?? formatWord(gate),
    approve: `Approve exactly ${what}`,
    reject: 'Reject…',
    means: `Approving lets exactly ${what} change as shown. Rejecting takes these changes back, and the fixer tries again.`,
  }
}

interface Props {
  readonly approval: PendingApproval
}

/** One patch that only a person may allow, shown in full. */
export function ApprovalCard({ approval }: Props) {
  const { session_id: sessionId, issue_code: code, files } = approval
  const { badge, means } = wordingOf(approval)
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-x-3">
          <span className="font-mono text-xs text-muted">{code}</span>
          <Prose text={approval.title ?? ''} />
          <Badge tone="warn">{badge}</Badge>
        </span>
      }
      note={
        <Link
          to="/r/$repositoryId/sessions/$sessionId"
          params={{ repositoryId: approval.repository_id, sessionId }}
          search={{ issue: code }}
          className="text-accent hover:underline"
        >
          Session, round {approval.round}
        </Link>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="font-medium wrap-anywhere">{visible(approval.question)}</p>
        <p className="wrap-anywhere">{visible(formatSentence(approval.reason))}</p>
        {files.length > 0 && <FileList files={files} />}
        {approval.diff !== '' && <DiffView diff={approval.diff} />}
        <p className="text-muted">{means}</p>
        <Decision approval={approval} />
      </div>
    </Card>
  )
}

const FileList = ({ files }: Pick<PendingApproval, 'files'>) => (
  <ul className="flex flex-wrap gap-1.5" aria-label="Files that are asked about">
    {files.map((file) => (
      <li key={file} className="rounded border bg-sunken px-1.5 font-mono text-xs leading-5 wrap-anywhere">
        {visible(file)}
      </li>
    ))}
  </ul>
)

/** The two answers; a rejection first asks for the reason. */
function Decision({ approval }: Props) {
  const { session_id: sessionId, approval_id: id, issue_code: code, files, gate } = approval
  const [asked, setAsked] = useState<'approve' | 'reject' | null>(null)
  const answer = useMutation({
    mutationFn: (given: ApprovalAnswer) => api.answerApproval(sessionId, id, given),
    onSuccess: (_, { decision }) =>
      toast(decision === 'approve' ? `${code}: approved` : `${code}: sent back with your reason`),
  })
  const { approve, reject } = wordingOf(approval)
  const allow = () => answer.mutate({ decision: 'approve', ...(files.length > 0 && { files }) })
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        look="primary"
        disabled={answer.isPending}
        onClick={() => (gate === 'tamper' ? setAsked('approve') : allow())}
      >
        {approve}
      </Button>
      <Button look="danger" disabled={answer.isPending} onClick={() => setAsked('reject')}>
        {reject}
      </Button>
      <Problem error={answer.error} />
      {asked === 'approve' && (
        <FormDialog
          title="This patch changes what judges it"
          act="Approve all the same"
          look="danger"
          isReady={!answer.isPending}
          error={answer.error}
          onClose={() => setAsked(null)}
          onSubmit={allow}
        >
          <p className="wrap-anywhere">{visible(approval.reason)}</p>
          <p className="text-muted">
            A weakened test or check proves less from now on, for every later fix as well. Is that what you
            want?
          </p>
        </FormDialog>
      )}
      {asked === 'reject' && (
        <RejectDialog
          code={code}
          isDispute={gate === 'dispute'}
          isBusy={answer.isPending}
          error={answer.error}
          onClose={() => setAsked(null)}
          onReject={(reason) => answer.mutate({ decision: 'reject', reason })}
        />
      )}
    </div>
  )
}
