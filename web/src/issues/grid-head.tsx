import { useNavigate, useSearch } from '@tanstack/react-router'
import { choose } from '../filters/filter.ts'

const columns = [
  { sort: 'severity', label: 'Severity', look: 'hidden w-20 md:block' },
  { sort: 'code', label: 'Code', look: 'hidden w-18 md:block' },
  { sort: 'title', label: 'Title', look: 'min-w-0 flex-1' },
  { sort: 'rule', label: 'Rule', look: 'hidden w-44 2xl:block' },
  { sort: 'file', label: 'File', look: 'hidden w-64 xl:block' },
  { sort: 'created', label: 'Found', look: 'hidden w-20 lg:block' },
  { sort: 'status', label: 'Status', look: 'w-24 md:w-28' },
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
          <span key={sort} className={`shrink-0 ${look}`}>
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
