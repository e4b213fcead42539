import { useQuery } from '@tanstack/react-query'
import type { IssueStatus } from '../../../src/model/issue/issue.ts'
import { diffQuery } from '../api/queries.ts'
import { DiffView } from '../diff/diff-view.tsx'

interface Props {
  readonly sessionId: string
  readonly code: string
  readonly status: IssueStatus
}

/** The changes of the newest round of an issue's session: the fix, or an unsuccessful try. */
export function FixDiff({ sessionId, code, status }: Props) {
  const { data = '' } = useQuery(diffQuery(sessionId, code))
  if (data.trim() === '') return null
  const isFixed = status === 'resolved' || status === 'merged'
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-xs font-semibold text-muted">
        {isFixed ? 'What fixed it' : 'What was tried last'}
      </h3>
      <DiffView diff={data} />
    </section>
  )
}
