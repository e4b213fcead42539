import type { Issue } from '../../../model/issue/issue.ts'
import type { VoicesOf } from '../../ports.ts'
import { maxLineDistance, type FindingGroup } from './groups.ts'
import { codeOf, isOutOfSight, knownClaims, saidBy, type Claimed, type KnownClaim } from './known-claim.ts'
import { isAlikeCode, matchByPlace } from './match-by-place.ts'
import { pairByPlace, type MatchedPair, type PairOptions, type Unpaired } from './pairs.ts'
import { findRenames } from './renames.ts'
import { createShifts, noShifts } from './shifts.ts'
import type { Likeness } from './words.ts'

export interface Matches {
  /** The known issue that each group is. */
  readonly known: ReadonlyMap<FindingGroup, Issue>
  /** The merged issue whose fingerprint came back with a group. */
  readonly regressions: ReadonlyMap<FindingGroup, Issue>
  /** The issues that fit a group equally well, so that none was chosen. */
  readonly undecided: ReadonlyMap<FindingGroup, readonly Issue[]>
}

export interface MatchOptions {
  readonly likeness: Likeness
  readonly voicesOf: VoicesOf
  /** Whether a file is still there: code that stands in two files is a copy, not a move. */
  readonly fileExists: (path: string) => boolean
  /** Whether the report is older than the fix of a merged issue: then it is no regression. */
  readonly isOlder: (issue: Issue) => OlderThanFix
}

/** The reviewed tree cannot hold the fix yet; the report was made before it; or neither is known. */
export type OlderThanFix = 'tree' | 'report' | null

/** Finds the issue that each group is, one to one for each source: by what the source knows it by, by its code, then by place and claim. */
export function matchGroups(
  groups: readonly FindingGroup[],
  known: readonly Issue[],
  options: MatchOptions,
): Matches {
  const found = new Map<FindingGroup, Issue>()
  const undecided = new Map<FindingGroup, readonly Issue[]>()
  const living = known.filter((issue) => issue.status !== 'merged')
  const claims = knownClaims(living, options.voicesOf)
  const cited = new Set(groups.map(({ lead }) => lead.file))
  const fileExists = (path: string) => cited.has(path) || options.fileExists(path)
  const matching = { ...options, fileExists, renamed: findRenames(groups, claims, fileExists), undecided }
  for (const ofSource of Map.groupBy(groups, ({ lead }) => lead.source.name).values())
    matchSource(ofSource, claims, matching).forEach((issue, group) => found.set(group, issue))
  for (const group of found.keys()) undecided.delete(group)
  const merged = known.filter((issue) => issue.status === 'merged').toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const again = {
    groups: groups.filter((group) => !found.has(group)),
    claims: knownClaims(merged, () => null),
  }
  const regressions = new Map<FindingGroup, Issue>()
  for (const [group, { issue }] of matchByKey(again, keyed(matching, fingerprintOf))) {
    const isBehind = options.isOlder(issue) === 'tree'
    ;(isBehind ? found : regressions).set(group, issue)
  }
  const old = merged.filter((issue) => options.isOlder(issue) === 'report')
  for (const group of old.length === 0 ? [] : again.groups) {
    const told = old.find((issue) => isSameReport(group, issue))
    if (told && !regressions.has(group) && !found.has(group)) found.set(group, told)
  }
  return { known: found, regressions, undecided }
}

/** Whether a source says again, word for word and of the same line, what was fixed since; the line holds other code by now. */
const isSameReport = ({ lead }: FindingGroup, issue: Issue): boolean =>
  issue.flagged_by.includes(lead.source.name) &&
  lead.rule === issue.rule &&
  lead.title === issue.title &&
  lead.file === issue.file &&
  lead.line === issue.line &&
  saidBy(lead) === saidBy(issue)

interface SourceOptions extends MatchOptions {
  readonly renamed: ReadonlyMap<string, string>
  readonly undecided: Map<FindingGroup, readonly Issue[]>
}

/** The claims of one source: first among its own, then among those of others. */
function matchSource(
  groups: readonly FindingGroup[],
  claims: readonly KnownClaim[],
  options: SourceOptions,
): ReadonlyMap<FindingGroup, Issue> {
  const name = groups[0]?.lead.source.name ?? ''
  const [own, others] = [
    claims.filter(({ names }) => names.includes(name)),
    claims.filter(({ issue }) => !issue.flagged_by.includes(name)),
  ]
  const found = new Map<FindingGroup, KnownClaim>()
  const add = (pairs: readonly MatchedPair[]) => pairs.forEach(([group, claim]) => found.set(group, claim))
  const left = (of: readonly KnownClaim[]): Unpaired => {
    const taken = new Set(found.values().map(({ issue }) => issue))
    return {
      groups: groups.filter((group) => !found.has(group)),
      claims: of.filter(({ issue }) => !taken.has(issue)),
    }
  }
  if (own.length > 0) {
    add(matchByMarks(left(own), options))
    add(matchByKey(left(own), keyed(options, fingerprintOf)))
    if (found.size < groups.length) {
      add(matchByKey(inSight(left(own)), keyed(options, codeOf)))
      preferOriginals(groups, found)
      const shifts = createShifts(found)
      add(matchByPlace(left(own), { ...options, shifts, maxDistance: 0 }))
      add(matchByPlace(left(own), { ...options, shifts, maxDistance: maxLineDistance }))
    }
  }
  if (others.length > 0 && found.size < groups.length) {
    add(matchByKey(left(others), keyed(options, fingerprintOf)).filter(isElsewhere))
    const unseen = () => outOfSight(left(others))
    add(matchByPlace(unseen(), { ...options, shifts: noShifts, maxDistance: 0 }))
    add(matchByPlace(unseen(), { ...options, shifts: noShifts, maxDistance: maxLineDistance }))
  }
  return new Map([...found].map(([group, { issue }]) => [group, issue]))
}

/** Claims of another source near by are merged with everything else that is said there. */
const isElsewhere = ([group, claim]: MatchedPair): boolean =>
  isOutOfSight(claim.issue) || group.lead.file !== claim.file || isFar(group, claim) || claim.file === null

const fingerprintOf = ({ fingerprint }: Claimed): string | null => fingerprint

const inSight = ({ groups, claims }: Unpaired): Unpaired => ({
  groups,
  claims: claims.filter(({ issue }) => !isOutOfSight(issue)),
})
const outOfSight = ({ groups, claims }: Unpaired): Unpaired => ({
  groups,
  claims: claims.filter(({ issue }) => isOutOfSight(issue)),
})

/** By what the source itself knows a problem by, as far as only one claim and one group have it: some tools give all results the same. */
function matchByMarks(
  { groups, claims }: Unpaired,
  { fileExists, likeness }: SourceOptions,
): readonly MatchedPair[] {
  const holders = new Map<string, { groups: FindingGroup[]; claims: KnownClaim[] }>()
  for (const claim of claims)
    for (const mark of claim.marks ?? []) {
      const holder = holders.get(mark) ?? { groups: [], claims: [] }
      holders.set(mark, holder)
      holder.claims.push(claim)
    }
  if (holders.size === 0) return []
  for (const group of groups) for (const mark of group.lead.marks ?? []) holders.get(mark)?.groups.push(group)
  const found = new Map<FindingGroup, KnownClaim>()
  const taken = new Set<KnownClaim>()
  for (const {
    groups: [group, ...more],
    claims: [claim, ...others],
  } of holders.values()) {
    if (!group || !claim || more.length + others.length > 0) continue
    const isCopy = claim.file !== group.lead.file && claim.file !== null && fileExists(claim.file)
    if (isCopy || claim.rule !== group.lead.rule || found.has(group) || taken.has(claim)) continue
    if (isOutOfSight(claim.issue) && !isAboutSame(group, claim, likeness)) continue
    found.set(group, claim)
    taken.add(claim)
  }
  return [...found]
}

/**
 * Some tools number what they find anew in each run: such a number must not hide another problem in an ignored issue, and
 * where no code is cited only the words can tell.
 */
const isAboutSame = ({ lead }: FindingGroup, claim: KnownClaim, likeness: Likeness): boolean =>
  saidBy(lead) === saidBy(claim) ||
  (lead.current_code === null || claim.current_code === null
    ? likeness(lead, claim) > 0
    : isAlikeCode(lead, claim))

interface KeyOptions extends Omit<PairOptions, 'shifts'> {
  readonly keyOf: (claimed: Claimed) => string | null
}

const keyed = (
  { fileExists, renamed, undecided }: SourceOptions,
  keyOf: KeyOptions['keyOf'],
): KeyOptions => ({
  keyOf,
  fileExists,
  renamed,
  decline: (group, claims) => undecided.set(group, [...new Set(claims.map(({ issue }) => issue))]),
})

/** Pairs what has the same key: first where there is one of each, which tells where the lines of a file are now. */
function matchByKey({ groups, claims }: Unpaired, { keyOf, ...options }: KeyOptions): readonly MatchedPair[] {
  if (claims.length === 0) return []
  const buckets = new Map<string, { groups: FindingGroup[]; claims: KnownClaim[] }>()
  for (const group of groups) {
    const key = keyOf(group.lead)
    const bucket = key === null ? undefined : buckets.get(key)
    if (bucket) bucket.groups.push(group)
    else if (key !== null) buckets.set(key, { groups: [group], claims: [] })
  }
  for (const claim of claims) buckets.get(keyOf(claim) ?? '')?.claims.push(claim)
  const pairs: MatchedPair[] = []
  const met = [...buckets.values()].filter((bucket) => bucket.claims.length > 0)
  const isSingle = (bucket: Unpaired) => bucket.groups.length === 1 && bucket.claims.length === 1
  for (const bucket of met)
    if (isSingle(bucket)) pairs.push(...pairByPlace(bucket, { ...options, shifts: noShifts }))
  const shifts = createShifts(pairs)
  for (const bucket of met) if (!isSingle(bucket)) pairs.push(...pairByPlace(bucket, { ...options, shifts }))
  return withOneOfEach(pairs)
}

/** An issue may be claimed twice by one source; it is one problem all the same. */
function withOneOfEach(pairs: readonly MatchedPair[]): readonly MatchedPair[] {
  const taken = new Set<Issue>()
  return pairs.filter(([, { issue }]) => !taken.has(issue) && taken.add(issue))
}

/**
 * A copy keeps the fingerprint of its original when only the surroundings of the original are edited: where the same
 * code still stands nearer to the issue, that is the issue, and the copy is new.
 */
function preferOriginals(groups: readonly FindingGroup[], found: Map<FindingGroup, KnownClaim>): void {
  const placeKey = ({ lead }: FindingGroup): string | null => {
    const key = lead.line === null ? null : codeOf(lead)
    return key === null ? null : `${lead.file}\0${key}`
  }
  const strays = [...found].filter(([group, claim]) => isFar(group, claim))
  if (strays.length === 0) return
  const free = Map.groupBy(
    groups.filter((group) => !found.has(group)),
    placeKey,
  )
  for (const [copy, claim] of strays) {
    const candidates = free.get(placeKey(copy) ?? '') ?? []
    const original = candidates.find(
      (group) => !found.has(group) && distance(group, claim) < distance(copy, claim),
    )
    if (original === undefined) continue
    found.delete(copy)
    found.set(original, claim)
  }
}

const distance = ({ lead }: FindingGroup, claim: KnownClaim): number =>
  Math.abs((lead.line ?? 0) - (claim.line ?? 0))

const isFar = (group: FindingGroup, claim: KnownClaim): boolean =>
  group.lead.file === claim.file && distance(group, claim) > maxLineDistance
