import type { FileCoverage } from '../../../src/model/issue/coverage.ts'
import { plural } from '../ui/format.ts'

interface Folder {
  readonly name: string
  readonly folders: readonly Folder[]
  readonly files: readonly FileCoverage[]
  readonly read: number
  readonly total: number
}

/** The files of a review as the folders that they are in, each with how much of it was read. */
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
    read: files.filter(({ state }) => state === 'reviewed').length,
    total: files.length,
  }
}

/** Which part of the repository was looked at, folder by folder. */
export const CoverageTree = ({ files }: { readonly files: readonly FileCoverage[] }) => {
  const root = folderOf('', files)
  return (
    <section aria-label="Coverage">
      <h3 className="mb-1 text-xs font-semibold text-muted">
        {root.read} of {plural(root.total, 'file')} read in full
      </h3>
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

const FolderRows = ({ folder }: { readonly folder: Folder }) => (
  <ul className="flex flex-col gap-0.5 border-l pl-3">
    {folder.folders.map((inner) => (
      <li key={inner.name}>
        <details>
          <summary className="flex list-none items-center gap-3 rounded px-1 hover:bg-sunken">
            <span className="min-w-0 flex-1 truncate font-mono text-xs">{inner.name}/</span>
            <span aria-hidden className="flex h-1.5 w-24 overflow-hidden rounded-full bg-bad-fill">
              <span className="bg-ok-fill" style={{ width: `${(inner.read / inner.total) * 100}%` }} />
            </span>
            <span className="w-20 text-right text-xs text-muted">
              {inner.read} of {inner.total}
            </span>
          </summary>
          <FolderRows folder={inner} />
        </details>
      </li>
    ))}
    {folder.files.map(({ file, state, why }) => (
      <li key={file} className="flex items-baseline gap-2 px-1 text-xs">
        <span aria-hidden className={`size-1.5 shrink-0 rounded-full ${fills[state]}`} />
        <span className="font-mono">{file.split('/').at(-1)}</span>
        <span className="text-muted">{state === 'reviewed' ? 'read' : `${state}: ${why ?? ''}`}</span>
      </li>
    ))}
  </ul>
)
