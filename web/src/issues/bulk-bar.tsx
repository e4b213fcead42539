import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { IssueChange } from '../../../src/model/api/issues.ts'
import type { Issue } from '../../../src/model/issue/issue.ts'
import { api, queries } from '../api/client.ts'
import { formatWord, plural } from '../ui/format.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/states.tsx'
import { toast } from '../ui/toasts.tsx'
import { ChangeDialog, type Asked } from './change-dialog.tsx'

/** The address of a fix names its issues, and it must not become too long for the server. */
const mostAtOnce = 300
const perCall = 1_000

/** Changes issues in calls of the size that the server takes; the server changes or refuses each issue separately. */
async function changeAll(issues: readonly Issue[], change: IssueChange) {
  const refused: string[] = []
  for (let first = 0; first < issues.length; first += perCall) {
    const some = issues.slice(first, first + perCall).map(({ id }) => id)
    const outcome = await api.changeIssues({ issue_ids: some, change })
    refused.push(...outcome.refused.map(({ detail }) => detail))
  }
  return refused
}

interface Props {
  readonly repositoryId: string
  readonly issues: readonly Issue[]
  readonly onDone: () => void
  readonly children?: ReactNode
}

interface SelectionProps {
  readonly count: number
  /** The reasons why issues were not changed, one for each issue. */
  readonly refused: readonly string[]
}

const Selection = ({ count, refused }: SelectionProps) => (
  <>
    <span className="mr-auto font-medium" role="status">
      {plural(count, 'issue')} selected
    </span>
    {count > mostAtOnce && <span className="text-muted">At most {mostAtOnce} are fixed at once.</span>}
    {refused.length > 0 && (
      <span role="alert" className="text-warn">
        {plural(refused.length, 'was', 'were')} refused: {refused[0]}
      </span>
    )}
  </>
)

/** The actions for the selected issues. */
export function BulkBar({ repositoryId, issues, onDone, children }: Props) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const navigate = useNavigate()
  const change = useMutation({
    mutationFn: (given: IssueChange) => changeAll(issues, given),
    onSuccess: (refused, given) => {
      setAsked(null)
      if (refused.length > 0) return
      const undo =
        given.status === 'open'
          ? undefined
          : () => void changeAll(issues, { status: 'open' }).then(() => queries.invalidateQueries())
      toast(`${plural(issues.length, 'issue')}: ${formatWord(given.status).toLowerCase()}`, undo)
      onDone()
    },
  })
  const fix = () =>
    void navigate({
      to: '/r/$repositoryId/fix',
      params: { repositoryId },
      search: { issues: issues.map(({ id }) => id).join(',') },
    })
  return (
    <section
      aria-label="Selected issues"
      className="flex flex-wrap items-center gap-2 border-t bg-surface px-4 py-2 sm:px-6"
    >
      <Selection count={issues.length} refused={change.data ?? []} />
      {children}
      <Button look="primary" disabled={issues.length > mostAtOnce} onClick={fix}>
        Fix…
      </Button>
      <Button onClick={() => setAsked('ignored')}>Ignore…</Button>
      <Button onClick={() => setAsked('duplicate')}>Duplicate…</Button>
      <Button onClick={() => change.mutate({ status: 'open' })}>Reopen</Button>
      <Button look="quiet" onClick={onDone}>
        Clear
      </Button>
      {asked === null && <Problem error={change.error} />}
      {asked && (
        <ChangeDialog
          asked={asked}
          count={issues.length}
          isBusy={change.isPending}
          error={change.error}
          onClose={() => setAsked(null)}
          onChange={(given) => change.mutate(given)}
        />
      )}
    </section>
  )
}
