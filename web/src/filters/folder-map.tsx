import type { PropertyCounts } from '../../../src/model/api/issues.ts'
import { formatNumber } from '../ui/format.ts'
import { visible } from '../ui/visible.ts'
import type { IssueSearch } from './filter.ts'

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
export function FolderMap({
  search,
  counts,
  onPath,
}: {
  readonly search: IssueSearch
  readonly counts: PropertyCounts
  readonly onPath: (path: string) => void
}) {
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
