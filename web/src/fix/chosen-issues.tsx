import type { IssueView } from '../../../src/model/api/issues.ts'
import { Prose } from '../ui/prose.tsx'
import { visible } from '../ui/visible.ts'
import { plural } from '../ui/format.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card } from '../ui/layout.tsx'

interface Props {
  readonly issues: readonly IssueView[]
  readonly onKeep: (ids: readonly string[]) => void
}

export function ChosenIssues({ issues, onKeep }: Props) {
  return (
    <Card title="Issues" note={plural(issues.length, 'issue')} padded={false}>
      <ul className="max-h-[19.25rem] divide-y overflow-y-auto" tabIndex={0} aria-label="Chosen issues">
        {issues.map(({ id, code, title, severity, file, status }) => (
          <li key={id} className="flex items-center gap-x-3 px-4 py-1">
            <span className="w-18 shrink-0 font-mono text-xs text-muted">{code}</span>
            <span className="hidden w-20 shrink-0 sm:block">
              <StatusBadge status={severity} />
            </span>
            <span className="flex min-w-0 flex-1 flex-col gap-x-3 xl:flex-row xl:items-center">
              <span className="min-w-0 flex-1 truncate" title={visible(title)}>
                <Prose text={title} />
              </span>
              <span className="flex min-w-0 items-center gap-3 xl:max-w-104">
                {file !== null && (
                  <span className="min-w-0 truncate font-mono text-xs text-muted">{visible(file)}</span>
                )}
                {status !== 'open' && <StatusBadge status={status} />}
              </span>
            </span>
            <Button
              look="quiet"
              className="!px-2"
              aria-label={`Leave out ${code}`}
              onClick={() => onKeep(issues.filter((issue) => issue.id !== id).map((issue) => issue.id))}
            >
              <Icon name="close" />
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
