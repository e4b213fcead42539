import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { api } from '../api/client.ts'
import { diffQuery } from '../api/queries.ts'
import { parseDiff } from '../diff/parse-diff.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'
import { toast } from '../ui/toasts.tsx'
import { PullRequestAction } from './pull-request-action.tsx'
import { RetryDialog } from './retry-dialog.tsx'
import { visible } from '../ui/visible.ts'

interface Props {
  readonly session: SessionDetail
  /** How many of its issues were not completed. */
  readonly left: number
}

/** The actions after a session is over: take the branch, share the report, try the rest again. */
export function FinishedBar({ session, left }: Props) {
  const { branch_name: branch } = session
  const [isRetrying, setIsRetrying] = useState(false)
  return (
    <Card title="What now?">
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-2">
          {branch !== null && (
            <Button look="primary" onClick={() => void copy(branch, 'The name of the branch is copied')}>
              Copy branch
            </Button>
          )}
          {branch !== null && <PullRequestAction session={session} />}
          {left > 0 && <Button onClick={() => setIsRetrying(true)}>Retry {plural(left, 'issue')}…</Button>}
          <Exports session={session} />
        </div>
        {branch !== null && <GitCommands branch={branch} base={session.base_branch ?? 'main'} />}
        {branch !== null && <ChangedFiles sessionId={session.session_id} />}
      </div>
      {isRetrying && <Retrying session={session} onClose={() => setIsRetrying(false)} />}
    </Card>
  )
}

async function copy(text: string, said: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  toast(said)
}

/** The git commands for the next steps with the branch, ready to be pasted. */
function GitCommands({ branch, base }: { readonly branch: string; readonly base: string }) {
  const name = /^[\w./-]+$/.test(branch) ? branch : `'${branch.replaceAll("'", "'\\''")}'`
  const commands = [`git log --oneline ${base}..${name}`, `git switch ${name}`, `git push -u origin ${name}`]
  return (
    <ul aria-label="Commands for the branch" className="flex flex-col gap-1">
      {commands.map((command) => (
        <li key={command} className="flex items-center gap-2">
          <code
            tabIndex={0}
            className="min-w-0 flex-1 overflow-x-auto rounded-md bg-sunken px-3 py-1.5 font-mono text-xs whitespace-nowrap"
          >
            {command}
          </code>
          <Button look="quiet" aria-label={`Copy ${command}`} onClick={() => void copy(command, 'Copied')}>
            Copy
          </Button>
        </li>
      ))}
    </ul>
  )
}

const exports = [
  { format: 'html', label: 'Share as HTML', type: 'text/html' },
  { format: 'markdown', label: 'Save as Markdown', type: 'text/markdown' },
] as const

function Exports({ session }: Pick<Props, 'session'>) {
  const save = useMutation({
    mutationFn: async ({ format, type }: (typeof exports)[number]) => {
      const text = await api.reportText(session.session_id, type)
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([text], { type }))
      link.download = `${session.session_id}.${format === 'html' ? 'html' : 'md'}`
      link.click()
      URL.revokeObjectURL(link.href)
    },
  })
  return (
    <>
      {exports.map((one) => (
        <Button key={one.format} disabled={save.isPending} onClick={() => save.mutate(one)}>
          {one.label}
        </Button>
      ))}
      <Problem error={save.error} />
    </>
  )
}

function ChangedFiles({ sessionId }: { readonly sessionId: string }) {
  const { data = '' } = useQuery(diffQuery(sessionId))
  const files = parseDiff(data)
  if (files.length === 0) return null
  return (
    <details open={files.length <= 6}>
      <summary className="text-xs font-semibold text-muted">{plural(files.length, 'file')} changed</summary>
      <ul className="flex flex-col">
        {files.map(({ path, added, removed, change }) => (
          <li key={path} className="flex items-center gap-3 font-mono text-xs leading-6">
            <span className="min-w-0 truncate">{visible(path)}</span>
            {change !== 'changed' && <span className="text-muted">{change}</span>}
            <span className="ml-auto whitespace-nowrap">
              <span className="text-ok">+{added}</span> <span className="text-bad">−{removed}</span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Retrying({ session, onClose }: { readonly session: SessionDetail; readonly onClose: () => void }) {
  const navigate = useNavigate()
  const retry = useMutation({
    meta: { leavesPage: true },
    mutationFn: (request: Parameters<typeof api.retry>[1]) => api.retry(session.session_id, request),
    onSuccess: ({ session_id }) => {
      onClose()
      toast('A new session tries again what did not land')
      return navigate({
        to: '/r/$repositoryId/sessions/$sessionId',
        params: { repositoryId: session.repository_id, sessionId: session_id },
        search: {},
      })
    },
  })
  return (
    <RetryDialog
      session={session}
      isBusy={retry.isPending}
      error={retry.error}
      onClose={onClose}
      onRetry={(request) => retry.mutate(request)}
    />
  )
}
