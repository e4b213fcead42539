import type { FindingGroup } from './groups.ts'
import type { KnownClaim } from './known-claim.ts'

/** The new names of files that are gone: where their code is now, told by code that occurs only once. */
export function findRenames(
  groups: readonly FindingGroup[],
  claims: readonly KnownClaim[],
  fileExists: (path: string) => boolean,
): ReadonlyMap<string, string> {
  const gone = claims.filter(({ file }) => file !== null && !fileExists(file))
  if (gone.length === 0) return new Map()
  const byFingerprint = Map.groupBy(gone, ({ fingerprint }) => fingerprint)
  const seen = Map.groupBy(
    groups.filter(({ lead }) => byFingerprint.has(lead.fingerprint)),
    ({ lead }) => lead.fingerprint,
  )
  const votes = new Map<string, Map<string, number>>()
  for (const [fingerprint, [group, ...copies]] of seen) {
    const [claim, ...others] = byFingerprint.get(fingerprint) ?? []
    const [from, to] = [claim?.file, group?.lead.file]
    if (!from || !to || copies.length + others.length > 0) continue
    const ofFile = votes.get(from) ?? new Map<string, number>()
    votes.set(from, ofFile.set(to, (ofFile.get(to) ?? 0) + 1))
  }
  return new Map(
    [...votes].map(([from, ofFile]) => [from, [...ofFile].reduce((a, b) => (b[1] > a[1] ? b : a))[0]]),
  )
}
