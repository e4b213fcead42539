import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { PropertyCounts } from '../../../src/model/api/issues.ts'
import { formatNumber, formatWord } from '../ui/format.ts'
import { choose, type IssueSearch } from './filter.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { visible } from '../ui/visible.ts'
import { FolderMap } from './folder-map.tsx'

interface Props {
  readonly search: IssueSearch
  readonly counts: PropertyCounts
}

const sections = [
  { facet: 'rule', name: 'rule', title: 'Rule', none: 'no rule' },
  { facet: 'tool', name: 'tool', title: 'Found by', none: 'nobody' },
  { facet: 'source', name: 'source', title: 'Source', none: 'unknown' },
  { facet: 'age', name: 'since', title: 'Found in the last', none: '' },
] as const

const ages: Readonly<Record<string, string>> = { '1d': 'day', '7d': 'week', '30d': 'month', '90d': 'quarter' }
const mostShown = 8

/** The order puts the shortest time first. */
const byAge = (values: PropertyCounts['age']): PropertyCounts['age'] =>
  values.toSorted((a, b) => Number.parseInt(a.value, 10) - Number.parseInt(b.value, 10))

const isEmpty = (counts: PropertyCounts): boolean =>
  Object.values(counts).every((values) => values.every(({ count }) => count === 0))

/** The filters stand beside the list where there is room; they keep their place while the issues are counted. */
export function FacetPanel({ search, counts }: Partial<Props> & Pick<Props, 'search'>) {
  if (counts && isEmpty(counts)) return null
  return (
    <aside
      aria-label="Filters"
      tabIndex={0}
      className="hidden w-60 shrink-0 overflow-y-auto border-r bg-surface px-4 py-4 xl:block"
    >
      {counts && <Facets search={search} counts={counts} />}
    </aside>
  )
}

/** The same filters behind a button, where there is no room for them beside the list. */
export function FacetButton({ search, counts }: Props) {
  const [isOpen, setOpen] = useState(false)
  if (isEmpty(counts)) return null
  return (
    <div className="xl:hidden">
      <Button onClick={() => setOpen(true)}>Filters…</Button>
      {isOpen && (
        <Dialog title="Filters" onClose={() => setOpen(false)}>
          <Facets search={search} counts={counts} />
          <Button look="primary" onClick={() => setOpen(false)}>
            Show the issues
          </Button>
        </Dialog>
      )}
    </div>
  )
}

/** The properties of the issues, with the number of issues for each value; a click narrows the list to it. */
function Facets({ search, counts }: Props) {
  const navigate = useNavigate({ from: '/r/$repositoryId/issues' })
  const go = (next: IssueSearch) => void navigate({ search: next, replace: true })
  return (
    <div className="flex flex-col gap-5">
      {sections.map(({ facet, name, title, none }) => (
        <FacetValues
          key={facet}
          title={title}
          values={facet === 'age' ? byAge(counts.age) : counts[facet]}
          chosen={search[name]}
          wordOf={(value) =>
            value === '' ? none : facet === 'source' ? formatWord(value) : (ages[value] ?? visible(value))
          }
          onChoose={(value) => go(choose(search, name, value))}
        />
      ))}
      <FolderMap search={search} counts={counts} onPath={(path) => go(choose(search, 'path', path))} />
    </div>
  )
}

interface ValuesProps {
  readonly title: string
  readonly values: PropertyCounts['rule']
  readonly chosen: string | undefined
  readonly wordOf: (value: string) => string
  readonly onChoose: (value: string) => void
}

function FacetValues({ title, values, chosen, wordOf, onChoose }: ValuesProps) {
  const [isWhole, setWhole] = useState(false)
  if (values.length === 0) return null
  const shown = values.filter(({ value }, index) => isWhole || index < mostShown || value === chosen)
  return (
    <section aria-label={title}>
      <h2 className="mb-1 text-xs font-semibold text-muted">{title}</h2>
      <ul>
        {shown.map(({ value, count }) => (
          <li key={value}>
            <button
              type="button"
              aria-pressed={chosen === value}
              onClick={() => onChoose(value)}
              className="flex w-full items-baseline gap-2 rounded px-1.5 py-0.5 text-left text-xs hover:bg-sunken aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-accent"
            >
              <span className="min-w-0 flex-1 truncate" title={visible(value)}>
                {wordOf(value)}
              </span>
              <span className="text-muted">{formatNumber(count)}</span>
            </button>
          </li>
        ))}
      </ul>
      {values.length > shown.length && (
        <button
          type="button"
          className="px-1.5 text-xs text-accent hover:underline"
          onClick={() => setWhole(true)}
        >
          {formatNumber(values.length - shown.length)} more…
        </button>
      )}
    </section>
  )
}
