import type { PropertyCounts } from '../../../src/model/api/issues.ts'
import { formatNumber } from '../ui/format.ts'
import { visible } from '../ui/visible.ts'
import type { IssueSearch } from './filter.ts'

interface Heat {
  readonly path: string
  readonly count: number
}

/** The folders below the chosen one, one level deep, with the counts of everything in them; a folder that holds all is passed through. */
export function heatOf(folders: PropertyCounts['folder'], under: string | undefined): readonly Heat[] {
  const heat = levelOf(folders, under)
  const [only] = heat
  return only && heat.length === 1 && only.path !== under ? heatOf(folders, only.path) : heat
}

function levelOf(folders: PropertyCounts['folder'], under: string | undefined): readonly Heat[] {
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

/** Whether a folder stands beside folders of its own: then it is only the files that are in none of them. */
const isOwnFiles = (path: string, heat: readonly Heat[]): boolean =>
  heat.some((one) => one.path.startsWith(`${path}/`))

const mostShown = 24

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
  const all = heatOf(counts.folder, search.path)
  const heat = all.slice(0, mostShown)
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
              // No filter shows the files of a folder without those below it.
              disabled={isOwnFiles(path, all)}
              onClick={() => onPath(path)}
              className="relative flex w-full items-baseline gap-1 overflow-hidden rounded border px-1.5 py-1 text-left text-[11px] enabled:hover:border-accent"
            >
              <span
                aria-hidden
                className="absolute inset-0 bg-warn-fill"
                style={{ opacity: 0.06 + 0.3 * (count / most) }}
              />
              <span className="relative min-w-0 flex-1 truncate font-mono">
                {visible(path.split('/').at(-1) ?? '')}
                {isOwnFiles(path, all) && '/*'}
              </span>
              <span className="relative">{formatNumber(count)}</span>
            </button>
          </li>
        ))}
      </ul>
      {all.length > heat.length && (
        <p className="mt-1.5 text-xs text-muted">
          The fullest {heat.length} of {formatNumber(all.length)}.
        </p>
      )}
    </section>
  )
}
