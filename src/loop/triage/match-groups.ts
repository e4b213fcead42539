import type { Finding } from '../../model/issue/finding.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { foldSpace } from './anchor.ts'
import { maxLineDistance, voicesOf, type FindingGroup, type SameTitle } from './groups.ts'
import { matchByPlace, outOfSight } from './match-by-place.ts'
import { findRenames, pairByPlace, type Unpaired } from './pairs.ts'
import { normaliseTitle } from './title.ts'

export interface Matches {
  /** The known issue that each group is. */
  readonly known: ReadonlyMap<FindingGroup, Issue>
  /** The merged issue whose fingerprint came back with a group. */
  readonly regressions: ReadonlyMap<FindingGroup, Issue>
}

export interface MatchOptions {
  readonly isSameTitle: SameTitle
  /** Whether a file is still there: code that stands in two files is a copy, not a move. */
  readonly fileExists: (path: string) => boolean
}

/** Finds the issue of each group, one to one: by fingerprint, then by place and claim. */
export function matchGroups(
  groups: readonly FindingGroup[],
  known: readonly Issue[],
  options: MatchOptions,
): Matches {
  const living = known.filter((issue) => issue.status !== 'merged')
  const found = new Map<FindingGroup, Issue>()
  const add = (pairs: ReadonlyMap<FindingGroup, Issue>) =>
    pairs.forEach((issue, group) => found.set(group, issue))
  const left = (): Unpaired => {
    const taken = new Set(found.values())
    return {
      groups: groups.filter((group) => !found.has(group)),
      issues: living.filter((issue) => !taken.has(issue)),
    }
  }
  const hasBothLeft = () => found.size < groups.length && found.size < living.length
  const renamed = findRenames(groups, living, options.fileExists)
  const byFingerprint = { ...options, renamed, keyOf: fingerprintOf }
  add(matchByKey({ groups, issues: living }, { ...byFingerprint, voices: (group) => [group.lead] }))
  if (hasBothLeft()) {
    add(matchByKey(left(), { ...byFingerprint, voices: (group) => group.members.slice(1) }))
    add(matchByKey(inSight(left()), { ...options, renamed, keyOf: codeOf, voices: voicesOf }))
  }
  if (found.size < groups.length) preferOriginals(groups, found)
  if (hasBothLeft()) {
    add(matchByPlace(left(), { ...options, maxDistance: 0 }))
    add(matchByPlace(left(), { ...options, maxDistance: maxLineDistance }))
  }
  const merged = known.filter((issue) => issue.status === 'merged').toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const again = { groups: left().groups, issues: merged }
  const regressions = matchByKey(again, { ...byFingerprint, voices: (group) => group.members })
  return { known: found, regressions }
}

type Claimed = Pick<Finding & Issue, 'fingerprint' | 'rule' | 'title' | 'current_code'>

const fingerprintOf = ({ fingerprint }: Claimed): string | null => fingerprint

/** The claim and the code it is about, without what stands around the code; null when it cites no code. */
const codeOf = ({ rule, title, current_code: code }: Omit<Claimed, 'fingerprint'>): string | null =>
  code === null ? null : `${rule ?? normaliseTitle(title)}\0${foldSpace(code)}`

const inSight = ({ groups, issues }: Unpaired): Unpaired => ({
  groups,
  issues: issues.filter((issue) => !outOfSight.has(issue.status)),
})

interface KeyOptions extends Pick<MatchOptions, 'fileExists'> {
  readonly keyOf: (claimed: Claimed) => string | null
  readonly voices: (group: FindingGroup) => readonly Finding[]
  readonly renamed: ReadonlyMap<string, string>
}

function matchByKey(
  { groups, issues }: Unpaired,
  { keyOf, voices, ...files }: KeyOptions,
): ReadonlyMap<FindingGroup, Issue> {
  const found = new Map<FindingGroup, Issue>()
  if (issues.length === 0) return found
  const buckets = new Map<string, { groups: FindingGroup[]; issues: Issue[] }>()
  for (const group of groups) {
    for (const voice of voices(group)) {
      const key = keyOf(voice)
      const bucket = key === null ? undefined : buckets.get(key)
      if (bucket) bucket.groups.push(group)
      else if (key !== null) buckets.set(key, { groups: [group], issues: [] })
    }
  }
  for (const issue of issues) buckets.get(keyOf(issue) ?? '')?.issues.push(issue)
  const taken = new Set<Issue>()
  for (const bucket of buckets.values()) {
    if (bucket.issues.length === 0) continue
    const free = bucket.groups.filter((group) => !found.has(group))
    const left = bucket.issues.filter((issue) => !taken.has(issue))
    for (const [group, issue] of pairByPlace(free, left, files)) {
      taken.add(issue)
      found.set(group, issue)
    }
  }
  return found
}

/**
 * A copy keeps the fingerprint of its original when only the surroundings of the original are edited: where the same
 * code still stands nearer to the issue, that is the issue, and the copy is new.
 */
function preferOriginals(groups: readonly FindingGroup[], found: Map<FindingGroup, Issue>): void {
  const placeKey = ({ lead }: FindingGroup): string | null => {
    const key = lead.line === null ? null : codeOf(lead)
    return key === null ? null : `${lead.file}\0${key}`
  }
  const strays = [...found].filter(([group, issue]) => isFar(group, issue))
  if (strays.length === 0) return
  const free = Map.groupBy(
    groups.filter((group) => !found.has(group)),
    placeKey,
  )
  for (const [copy, issue] of strays) {
    const candidates = free.get(placeKey(copy) ?? '') ?? []
    const original = candidates.find(
      (group) => !found.has(group) && distance(group, issue) < distance(copy, issue),
    )
    if (original === undefined) continue
    found.delete(copy)
    found.set(original, issue)
  }
}

const distance = ({ lead }: FindingGroup, issue: Issue): number =>
  Math.abs((lead.line ?? 0) - (issue.line ?? 0))

const isFar = (group: FindingGroup, issue: Issue): boolean =>
  group.lead.file === issue.file && distance(group, issue) > maxLineDistance
