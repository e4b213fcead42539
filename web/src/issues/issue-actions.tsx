import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { IssueChange, IssueView } from '../../../src/model/api/issues.ts'
import { api } from '../api/client.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Problem } from '../ui/states.tsx'
import { ChangeDialog, type Asked } from './change-dialog.tsx'

const moves: readonly (readonly [Asked, string])[] = [
  ['ignored', 'Ignore…'],
  ['duplicate', 'Duplicate…'],
  ['resolved', 'Resolve…'],
]

/** The moves that a person may make with the issue from here, as the server lists them. */
export function IssueActions({ issue }: { readonly issue: IssueView }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const change = useMutation({
    mutationFn: (given: IssueChange) => api.changeIssue(issue.id, given),
    onSuccess: () => setAsked(null),
  })
  const allowed: readonly string[] = issue.allowed_transitions
  return (
    <div className="flex flex-wrap items-center gap-2">
      {asked === null && <Problem error={change.error} />}
      {moves.map(([status, label]) =>
        allowed.includes(status) ? (
          <Button key={status} onClick={() => setAsked(status)}>
            {label}
          </Button>
        ) : null,
      )}
      {allowed.includes('open') && <Button onClick={() => change.mutate({ status: 'open' })}>Reopen</Button>}
      {(issue.status === 'open' || issue.status === 'failed') && (
        <Link
          to="/r/$repositoryId/fix"
          params={{ repositoryId: issue.repository_id }}
          search={{ issues: issue.id }}
          className={buttonClass('primary')}
        >
          Fix…
        </Link>
      )}
      {asked && (
        <ChangeDialog
          asked={asked}
          count={1}
          isBusy={change.isPending}
          error={change.error}
          onClose={() => setAsked(null)}
          onChange={(given) => change.mutate(given)}
        />
      )}
    </div>
  )
}
