import { isAbsolute, relative } from 'node:path'
import type { WrittenFinding } from '../../model/issue/finding.ts'

/** What a report says of files that the repository does not have. */
export interface Elsewhere {
  readonly findings: number
  readonly example: string
  /** The folder of the repository that has all of these files: the tool ran there. */
  readonly folder: string | null
}

export function findElsewhere(
  findings: readonly WrittenFinding[],
  files: ReadonlySet<string>,
): Elsewhere | null {
  const lost = findings.flatMap(({ file }) => (file === null || files.has(file) ? [] : file))
  const [example] = lost
  if (example === undefined) return null
  const paths = new Set(lost)
  const folders = [...files]
    .filter((file) => file.endsWith(`/${example}`))
    .map((file) => file.slice(0, -example.length - 1))
    .filter((folder) => paths.values().every((path) => files.has(`${folder}/${path}`)))
  return { findings: lost.length, example, folder: folders.length === 1 ? (folders[0] ?? null) : null }
}

/** The folder of the repository that a report's paths are counted from, as `a/b`; null for the repository itself, or a folder elsewhere. */
export function folderInside(repository: string, root: string): string | null {
  if (!isAbsolute(root)) return null
  const folder = relative(repository, root)
  return folder === '' || folder.startsWith('..') || isAbsolute(folder) ? null : folder.replaceAll('\\', '/')
}

export const countedFrom = (folder: string, findings: readonly WrittenFinding[]): WrittenFinding[] =>
  findings.map((finding) =>
    finding.file === null ? finding : { ...finding, file: `${folder}/${finding.file}` },
  )
