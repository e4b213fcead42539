import { Link } from '@tanstack/react-router'
import type { IssueLedger, IssueView } from '../../../src/model/api/issues.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Card } from '../ui/layout.tsx'
import { Prose } from '../ui/prose.tsx'

interface Props {
  readonly issue: IssueView
  readonly related: IssueLedger['related']
}

function relationOf({ duplicate_of, regression_of }: IssueView, id: string): string {
  if (id === duplicate_of) return 'Duplicate of'
  return id === regression_of ? 'Came back after' : 'Depends on'
}

/** The issues that this one names, and how each is related to it. */
export function RelatedIssues({ issue, related }: Props) {
  if (related.length === 0) return null
  return (
    <Card title="Related issues">
      <ul className="flex flex-col gap-2">
        {related.map(({ id, code, title, status }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3">
            <span className="text-muted">{relationOf(issue, id)}</span>
            <Link
              to="/r/$repositoryId/issues/$issueId"
              params={{ repositoryId: issue.repository_id, issueId: id }}
              className="text-accent wrap-anywhere hover:underline"
            >
              {code} <Prose text={title} />
            </Link>
            <StatusBadge status={status} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
