import { useNavigate } from '@tanstack/react-router'
import type { PropertyCounts } from '../../../src/model/api/issues.ts'
import { formatNumber, formatWord } from '../ui/format.ts'
import { choose, type IssueSearch } from './filter.ts'
import { visible } from '../ui/visible.ts'

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

/** The properties of the issues, with the number of issues for each value; a click narrows the list to it. */
export function FacetPanel({ search, counts }: Props) {
  const navigate = useNavigate({ from: '/r/$repositoryId/issues' })
  const go = (next: IssueSearch) => void navigate({ search: next, replace: true })
  if (Object.values(counts).every((values) => values.every(({ count }) => count === 0))) return null
  return (
    <aside
      aria-label="Filters"
      tabIndex={0}
      className="hidden w-60 shrink-0 flex-col gap-5 overflow-y-auto border-r bg-surface px-4 py-4 xl:flex"
    >
      {sections.map(({ facet, name, title, none }) => {
        const values = facet === 'age' ? byAge(counts.age) : counts[facet]
        if (values.length === 0) return null
        const chosen = search[name]
        const shown = values.filter(({ value }, index) => index < mostShown || value === chosen)
        return (
          <section key={facet} aria-label={title}>
            <h2 className="mb-1 text-xs font-semibold text-muted">{title}</h2>
            <ul>
              {shown.map(({ value, count }) => (
                <li key={value}>
                  <button
                    type="button"
                    aria-pressed={chosen === value}
                    onClick={() => go(choose(search, name, value))}
                    className="flex w-full items-baseline gap-2 rounded px-1.5 py-0.5 text-left text-xs hover:bg-sunken aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-accent"
                  >
                    <span className="min-w-0 flex-1 truncate" title={visible(value)}>
                      {value === ''
                        ? none
                        : facet === 'source'
                          ? formatWord(value)
                          : (ages[value] ?? visible(value))}
                    </span>
                    <span className="text-muted">{formatNumber(count)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
      <FolderMap search={search} counts={counts} onPath={(path) => go(choose(search, 'path', path))} />
    </aside>
  )
}

interface Heat {
  readonly path: string
  readonly count: number
}

/** The folders below the chosen one, one level deep, with the counts of everything in them. */
export function heatOf(folders: PropertyCounts['folder'], under: string | undefined): readonly Heat[] {
  const prefix = under === undefined ? '' : `${under}/`
  const counted = new Map<string, number>()
  for (const { value, count } of folders) {
    if (value === '' || !`${value}/`.startsWith(prefix)) continue
    const [next = ''] = value.slice(prefix.length).split('/')
    const path = next === '' ? value : `${prefix}${next}`
    counted.set(path, (counted.get(path) ?? 0) + count)
  }
  return [...counted].map(([path, count]) => ({ path, count })).toSorted((a, b) => b.count - a.count)
}

/** The more issues a folder holds, the stronger its colour. */
function FolderMap({ search, counts, onPath }: Props & { readonly onPath: (path: string) => void }) {
  const heat = heatOf(counts.folder, search.path).slice(0, 24)
  const most = Math.max(1, ...heat.map(({ count }) => count))
  if (heat.length === 0) return null
  return (
    <section aria-label="Folders">
      <h2 className="mb-1.5 text-xs font-semibold text-muted">Folders</h2>
      {search.path !== undefined && (
        <button
          type="button"
          className="mb-1.5 truncate font-mono text-xs text-accent hover:underline"
          onClick={() => onPath(search.path ?? '')}
        >
          × {visible(search.path)}
        </button>
      )}
      <ul className="grid grid-cols-2 gap-1">
        {heat.map(({ path, count }) => (
          <li key={path}>
            <button
              type="button"
              title={visible(path)}
              onClick={() => onPath(path)}
              className="relative flex w-full items-baseline gap-1 overflow-hidden rounded border px-1.5 py-1 text-left text-[11px] hover:border-accent"
            >
              <span
                aria-hidden
                className="absolute inset-0 bg-warn-fill"
                style={{ opacity: 0.06 + 0.3 * (count / most) }}
              />
              <span className="relative min-w-0 flex-1 truncate font-mono">
                {visible(path.split('/').at(-1) ?? '')}
              </span>
              <span className="relative">{formatNumber(count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
