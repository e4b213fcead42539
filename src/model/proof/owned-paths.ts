import type { Patch, PatchFile } from './patch.ts'
import { pathKind, type PathKind } from '../path-kind.ts'

/** Existing tests and configuration that a patch touches: they are verified as the base has them, unless a person allowed the change. */
export function pathsOfBase(patch: Patch, approved: readonly string[]): readonly string[] {
  return pathsWhere(patch, (path, file) => {
    if (isApproved(file, approved)) return false
    const kind = pathKind(path)
    if (kind === 'test' || kind === 'snapshot') return !isNew(path, file)
    // The tamper gate asks for a manifest's scripts and settings, and for a lock file that pins more than the finding asks for.
    return !belongsToFix.has(kind)
  })
}

/** Of those, the ones that a person allowed: they count as the base's from then on. */
export function approvedPaths(patch: Patch, approved: readonly string[]): readonly string[] {
  const kept = new Set(pathsOfBase(patch, approved))
  return pathsOfBase(patch, []).filter((path) => !kept.has(path))
}

/** The paths that the fix itself changes: once they are undone, its tests must fail again. */
export function pathsOfFix(patch: Patch, approved: readonly string[]): readonly string[] {
  return pathsWhere(patch, (path, file) => {
    const kind = pathKind(path)
    if (kind === 'test' || kind === 'snapshot') return false
    return belongsToFix.has(kind) || !isApproved(file, approved)
  })
}

const belongsToFix: ReadonlySet<PathKind> = new Set(['source', 'manifest', 'lockfile'])

/** Tests, and what they compare with, that the base does not have. */
export const pathsOfNewTests = (patch: Patch): readonly string[] =>
  pathsWhere(patch, (path, file) => ['test', 'snapshot'].includes(pathKind(path)) && isNew(path, file))

/** Whether nothing but new tests is in a patch. */
export const addsOnlyTests = (patch: Patch): boolean =>
  patch.refused.length === 0 &&
  patch.files.every(
    ({ path, status, link_target }) =>
      status === 'added' && link_target === null && ['test', 'snapshot'].includes(pathKind(path)),
  )

function pathsWhere(
  { files }: Patch,
  isWanted: (path: string, file: PatchFile) => boolean,
): readonly string[] {
  const ends = files.flatMap((file) =>
    [file.path, ...(file.old_path ? [file.old_path] : [])].map((path) => ({ path, file })),
  )
  return [...new Set(ends.filter(({ path, file }) => isWanted(path, file)).map(({ path }) => path))]
}

const isNew = (path: string, { status, old_path }: PatchFile): boolean =>
  status === 'added' || (old_path !== null && path !== old_path)

const isApproved = ({ path, old_path }: PatchFile, approved: readonly string[]): boolean =>
  approved.includes(path) || (old_path !== null && approved.includes(old_path))
