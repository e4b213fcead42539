import type { FileCoverage } from '../../../src/model/issue/coverage.ts'
import { formatNumber, plural } from '../ui/format.ts'
import { visible } from '../ui/visible.ts'

interface Folder {
  readonly name: string
  readonly folders: readonly Folder[]
  readonly files: readonly FileCoverage[]
  /** How many files are in each state. */
  readonly counts: Readonly<Record<FileCoverage['state'], number>>
}

/** The files of a review as a tree of folders, each with the share of it that was read. */
export function folderOf(name: string, files: readonly FileCoverage[], depth = 0): Folder {
  const partOf = ({ file }: FileCoverage): string | null => {
    const parts = file.split('/')
    return parts.length > depth + 1 ? (parts[depth] ?? null) : null
  }
  const grouped = Map.groupBy(files, partOf)
  const folders = [...grouped].flatMap(([part, inside]) =>
    part === null ? [] : [folderOf(part, inside, depth + 1)],
  )
  return {
    name,
    folders: folders.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    files: grouped.get(null) ?? [],
    counts: countsOf(files),
  }
}

function countsOf(files: readonly FileCoverage[]): Folder['counts'] {
  const counts = { reviewed: 0, partly: 0, skipped: 0, aside: 0 }
  for (const { state } of files) counts[state] += 1
  return counts
}

/** The number of files to read; files that nobody asked for do not count. */
const wantedIn = ({ counts }: Folder): number => counts.reviewed + counts.partly + counts.skipped

/** The reviewed part of the repository, folder by folder. */
export const CoverageTree = ({ files }: { readonly files: readonly FileCoverage[] }) => {
  const root = folderOf('', files)
  return (
    <section aria-label="Coverage">
      <h3 className="mb-1 text-xs font-semibold text-muted">
        {root.counts.reviewed} of {plural(wantedIn(root), 'file')} read in full
        {root.counts.aside > 0 && `, ${formatNumber(root.counts.aside)} not asked for`}
      </h3>
      <Bar folder={root} className="mb-2 w-full" />
      <FolderRows folder={root} />
    </section>
  )
}

const fills: Readonly<Record<FileCoverage['state'], string>> = {
  reviewed: 'bg-ok-fill',
  partly: 'bg-warn-fill',
  skipped: 'bg-bad-fill',
  aside: 'bg-line',
}

const order = ['reviewed', 'partly', 'skipped', 'aside'] as const

/** The shares of a folder that were read, partly read, skipped and not asked for. */
const Bar = ({ folder, className }: { readonly folder: Folder; readonly className: string }) => (
  <span aria-hidden className={`flex h-1.5 overflow-hidden rounded-full bg-line ${className}`}>
    {order.map((state) => (
      <span key={state} className={fills[state]} style={{ flexGrow: folder.counts[state] }} />
    ))}
  </span>
)

const FolderRows = ({ folder }: { readonly folder: Folder }) => (
  <ul className="flex flex-col gap-0.5 border-l pl-3">
    {folder.folders.map((inner) => (
      <li key={inner.name}>
        <details open={folder.folders.length === 1}>
          <summary className="flex list-none items-center gap-3 rounded px-1 hover:bg-sunken">
            <span className="min-w-0 flex-1 truncate font-mono text-xs">{inner.name}/</span>
            <Bar folder={inner} className="w-24 sm:w-48" />
            <span className="w-20 text-right text-xs text-muted">
              {inner.counts.reviewed} of {wantedIn(inner)}
            </span>
          </summary>
          <FolderRows folder={inner} />
        </details>
      </li>
    ))}
    {folder.files.map(({ file, state, why }) => (
      <li key={file} className="flex items-baseline gap-2 px-1 text-xs">
        <span aria-hidden className={`size-1.5 shrink-0 rounded-full ${fills[state]}`} />
        <span className="min-w-0 font-mono wrap-anywhere">{visible(file.split('/').at(-1) ?? '')}</span>
        <span className="text-muted">
          {state === 'reviewed' ? 'read' : visible(`${state}: ${why ?? ''}`)}
        </span>
      </li>
    ))}
  </ul>
)
