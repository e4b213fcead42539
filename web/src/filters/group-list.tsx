import { useNavigate } from '@tanstack/react-router'
import type { IssueGroupView } from '../../../src/model/api/issues.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { formatNumber } from '../ui/format.ts'
import type { IssueSearch } from './filter.ts'
import { visible } from '../ui/visible.ts'

interface Props {
  readonly search: IssueSearch
  readonly groups: readonly IssueGroupView[]
}

/** Issues by rule, file or folder, most frequent first; a click shows the issues of one group. */
export function GroupList({ search, groups }: Props) {
  const navigate = useNavigate({ from: '/r/$repositoryId/issues' })
  const most = Math.max(1, ...groups.map(({ count }) => count))
  const show = (value: string) => {
    const { group, ...rest } = search
    const name = group === 'rule' ? 'rule' : 'path'
    void navigate({ search: { ...rest, [name]: value } })
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-surface" tabIndex={0} role="region" aria-label="Groups">
      <ul className="divide-y">
        {groups.map(({ value, count, severity }) => (
          <li key={value}>
            <button
              type="button"
              disabled={value === ''}
              onClick={() => show(value)}
              className="flex w-full items-center gap-4 px-4 py-2 text-left hover:bg-sunken sm:px-6"
            >
              <span className="min-w-0 flex-1 truncate font-mono text-xs">
                {value === '' ? 'none' : visible(value)}
              </span>
              <StatusBadge status={severity} />
              <span aria-hidden className="h-1.5 w-32 rounded-full bg-sunken max-sm:hidden">
                <span
                  className="block h-full rounded-full bg-accent"
                  style={{ width: `${(count / most) * 100}%` }}
                />
              </span>
              <span className="w-16 text-right">{formatNumber(count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
