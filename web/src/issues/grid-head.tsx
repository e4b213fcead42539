import { useNavigate, useSearch } from '@tanstack/react-router'
import { choose } from '../filters/filter.ts'

/** The title gets most of the room; the age and the rule are shown where the title has enough. */
const columns = [
  { sort: 'severity', label: 'Severity', look: 'hidden shrink-0 w-20 md:block' },
  { sort: 'code', label: 'Code', look: 'hidden shrink-0 w-18 md:block md:@max-[34rem]/list:hidden' },
  { sort: 'title', label: 'Title', look: 'min-w-0 flex-3' },
  { sort: 'rule', label: 'Rule', look: 'hidden shrink-0 w-44 @min-[80rem]/list:block' },
  { sort: 'file', label: 'File', look: 'hidden min-w-0 max-w-64 flex-2 @min-[50rem]/list:block' },
  { sort: 'created', label: 'Found', look: 'hidden shrink-0 w-20 @min-[66rem]/list:block' },
  { sort: 'status', label: 'Status', look: 'shrink-0 w-24 md:w-28 md:@max-[34rem]/list:hidden' },
] as const

interface Props {
  readonly isAllSelected: boolean
  readonly onSelectAll: () => void
}

/** The heads of the columns: each sorts the whole list, not only the loaded rows. */
export function GridHead({ isAllSelected, onSelectAll }: Props) {
  const search = useSearch({ from: '/r/$repositoryId/issues' })
  const navigate = useNavigate({ from: '/r/$repositoryId/issues' })
  const next = (sort: string): string =>
    search.sort === sort ? `-${sort}` : search.sort === `-${sort}` ? '' : sort
  return (
    <div className="flex items-center gap-3 border-b bg-surface px-4 py-1.5 text-xs text-muted sm:px-6">
      <input
        type="checkbox"
        aria-label="Select all that are loaded"
        checked={isAllSelected}
        onChange={onSelectAll}
        className="size-4 accent-solid"
      />
      {columns.map(({ sort, label, look }) => {
        const isUp = search.sort === sort
        const isDown = search.sort === `-${sort}`
        return (
          <span key={sort} className={look}>
            <button
              type="button"
              aria-label={`Sort by ${label.toLowerCase()}`}
              aria-pressed={isUp || isDown}
              className="font-medium hover:text-fg aria-pressed:text-accent"
              onClick={() => {
                const { sort: _sort, ...rest } = search
                void navigate({ search: choose(rest, 'sort', next(sort)), replace: true })
              }}
            >
              {label}
              <span aria-hidden>{isUp ? ' ↑' : isDown ? ' ↓' : ''}</span>
            </button>
          </span>
        )
      })}
    </div>
  )
}
