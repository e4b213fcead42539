import type { Issue } from '../../model/issue/issue.ts'
import type { FindingGroup } from './groups.ts'

/** Where the code of files that are gone went, by the codes that occur only once. */
export function findRenames(
  groups: readonly FindingGroup[],
  issues: readonly Issue[],
  fileExists: (path: string) => boolean,
): ReadonlyMap<string, string> {
  const gone = issues.filter(({ file }) => file !== null && !fileExists(file))
  if (gone.length === 0) return new Map()
  const byFingerprint = Map.groupBy(gone, ({ fingerprint }) => fingerprint)
  const seen = Map.groupBy(
    groups.filter(({ lead }) => byFingerprint.has(lead.fingerprint)),
    ({ lead }) => lead.fingerprint,
  )
  const votes = new Map<string, Map<string, number>>()
  for (const [fingerprint, [group, ...copies]] of seen) {
    const [issue, ...others] = byFingerprint.get(fingerprint) ?? []
    const [from, to] = [issue?.file, group?.lead.file]
    if (!from || !to || copies.length + others.length > 0) continue
    const ofFile = votes.get(from) ?? new Map<string, number>()
    votes.set(from, ofFile.set(to, (ofFile.get(to) ?? 0) + 1))
  }
  return new Map(
    [...votes].map(([from, ofFile]) => [from, [...ofFile].reduce((a, b) => (b[1] > a[1] ? b : a))[0]]),
  )
}
