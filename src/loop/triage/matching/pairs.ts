import type { FindingGroup } from './groups.ts'
import { isOutOfSight, mayBeReworded, saidBy, type KnownClaim } from './known-claim.ts'
import type { Shifts } from './shifts.ts'

export type MatchedPair = readonly [FindingGroup, KnownClaim]

/** What has no counterpart yet. */
export interface Unpaired {
  readonly groups: readonly FindingGroup[]
  readonly claims: readonly KnownClaim[]
}

/** What became of the files that issues lie in. */
export interface FilesNow {
  readonly fileExists: (path: string) => boolean
  /** The new names of files that are gone, as far as they are known. */
  readonly renamed: ReadonlyMap<string, string>
}

export interface PairOptions extends FilesNow {
  readonly shifts: Shifts
  /** Called for a group that several claims fit equally well, none of which is taken. */
  readonly decline: (group: FindingGroup, claims: readonly KnownClaim[]) => void
}

/** Pairs groups and claims of one key, such as a fingerprint: those that say the same first, then the same in other words. */
export function pairByPlace(unpaired: Unpaired, options: PairOptions): readonly MatchedPair[] {
  const [group, claim] = [unpaired.groups[0], unpaired.claims[0]]
  if (group && claim && unpaired.groups.length === 1 && unpaired.claims.length === 1)
    return isHere(group, claim, options) && isSaidOf(group, claim) ? [[group, claim]] : []
  const pairs: MatchedPair[] = []
  const left = pairWhere(unpaired, pairs, { options, word: (one) => saidBy(one) })
  pairReworded(left, pairs, options)
  return pairs
}

const isHere = (group: FindingGroup, claim: KnownClaim, files: FilesNow): boolean =>
  group.lead.file === claim.file || hasMovedTo(claim, group.lead.file, files)

function hasMovedTo(claim: KnownClaim, file: string | null, { fileExists, renamed }: FilesNow): boolean {
  if (claim.file === null || fileExists(claim.file)) return false
  return (renamed.get(claim.file) ?? file) === file
}

/** The same words, or other words for what can be the same; an issue out of sight keeps to its words, or at least to its column. */
function isSaidOf(group: FindingGroup, claim: KnownClaim): boolean {
  if (saidBy(group.lead) === saidBy(claim)) return true
  if (!mayBeReworded(group, claim)) return false
  return (
    !isOutOfSight(claim.issue) ||
    (claim.column !== undefined && claim.column === group.lead.column) ||
    !claim.rule
  )
}

interface WordRule {
  readonly options: PairOptions
  readonly word: (one: FindingGroup['lead'] | KnownClaim) => string
}

/** Pairs on the same line, then nearest in the same file, then across files that are gone. */
function pairWhere(from: Unpaired, pairs: MatchedPair[], { options, word }: WordRule): Unpaired {
  const keyed = (place: (one: FindingGroup['lead'] | KnownClaim) => string, pair: PairRule['pair']) => ({
    keyOfGroup: ({ lead }: FindingGroup) => `${place(lead)}\0${word(lead)}`,
    keyOfClaim: (claim: KnownClaim) => `${place(claim)}\0${word(claim)}`,
    pair,
  })
  const inFile = (groups: readonly FindingGroup[], claims: readonly KnownClaim[]) =>
    pairInFile(groups, claims, options)
  let left = pairBy(
    from,
    keyed((one) => `${one.file}\0${one.line}\0${one.column}`, pairInOrder),
    pairs,
  )
  left = pairBy(
    left,
    keyed((one) => `${one.file}\0${one.line}`, pairInOrder),
    pairs,
  )
  left = pairBy(
    left,
    keyed((one) => `${one.file}`, inFile),
    pairs,
  )
  return pairMoved(left, pairs, { options, word })
}

function pairMoved(from: Unpaired, pairs: MatchedPair[], { options, word }: WordRule): Unpaired {
  const { fileExists, renamed } = options
  const moved = from.claims.filter(({ file }) => file !== null && !fileExists(file))
  const newName = ({ file }: KnownClaim) => renamed.get(file ?? '')
  let left = pairBy(
    { groups: from.groups, claims: moved },
    {
      keyOfGroup: ({ lead }) => `${lead.file}\0${word(lead)}`,
      keyOfClaim: (claim) => `${newName(claim)}\0${word(claim)}`,
      pair: (groups, claims) => pairInFile(groups, claims, options),
    },
    pairs,
  )
  const lost = { groups: left.groups, claims: left.claims.filter((claim) => newName(claim) === undefined) }
  const baseName = (path: string | null) => (path ?? '').replace(/^.*\//, '')
  const only: PairRule['pair'] = (groups, claims) => pairOnly(groups, claims, options)
  left = pairBy(
    lost,
    {
      keyOfGroup: ({ lead }) => `${baseName(lead.file)}\0${word(lead)}`,
      keyOfClaim: (claim) => `${baseName(claim.file)}\0${word(claim)}`,
      pair: only,
    },
    pairs,
  )
  left = pairBy(left, { keyOfGroup: ({ lead }) => word(lead), keyOfClaim: word, pair: only }, pairs)
  const taken = new Set(pairs.flat())
  return {
    groups: from.groups.filter((group) => !taken.has(group)),
    claims: from.claims.filter((claim) => !taken.has(claim)),
  }
}

/** The rest is the same in other words only where there is one of each on a line, or in a file. */
function pairReworded(from: Unpaired, pairs: MatchedPair[], { shifts }: PairOptions): void {
  const one: PairRule['pair'] = (groups, claims) => {
    const [group, claim] = [groups[0], claims[0]]
    const isOne = group && claim && groups.length === 1 && claims.length === 1
    return isOne && isSaidOf(group, claim) ? [[group, claim]] : []
  }
  const left = pairBy(
    from,
    {
      keyOfGroup: ({ lead }) => `${lead.file}\0${lead.line}`,
      keyOfClaim: (claim) => `${claim.file}\0${shifts(claim).line}`,
      pair: one,
    },
    pairs,
  )
  pairBy(
    left,
    { keyOfGroup: ({ lead }) => `${lead.file}`, keyOfClaim: ({ file }) => `${file}`, pair: one },
    pairs,
  )
}

interface PairRule {
  readonly keyOfGroup: (group: FindingGroup) => string
  readonly keyOfClaim: (claim: KnownClaim) => string
  readonly pair: (groups: readonly FindingGroup[], claims: readonly KnownClaim[]) => readonly MatchedPair[]
}

/** Pairs what has the same key, adds it to `pairs`, and gives what is left over. */
function pairBy(from: Unpaired, { keyOfGroup, keyOfClaim, pair }: PairRule, pairs: MatchedPair[]): Unpaired {
  if (from.groups.length === 0 || from.claims.length === 0) return from
  const claimsByKey = Map.groupBy(from.claims, keyOfClaim)
  const made = [...Map.groupBy(from.groups, keyOfGroup)].flatMap(([key, groups]) => {
    const claims = claimsByKey.get(key)
    return claims ? pair(groups, claims) : []
  })
  if (made.length === 0) return from
  for (const one of made) pairs.push(one)
  const takenGroups = new Set(made.map(([group]) => group))
  const takenClaims = new Set(made.map(([, claim]) => claim))
  return {
    groups: from.groups.filter((group) => !takenGroups.has(group)),
    claims: from.claims.filter((claim) => !takenClaims.has(claim)),
  }
}

/** First with first, and so on, by line. */
function pairInOrder(groups: readonly FindingGroup[], claims: readonly KnownClaim[]): readonly MatchedPair[] {
  const count = Math.min(groups.length, claims.length)
  const [sortedGroups, sortedClaims] = [groups.toSorted(byLead), claims.toSorted(compare)]
  return Array.from(
    { length: count },
    (_, at) => [sortedGroups[at], sortedClaims[at]] as unknown as MatchedPair,
  )
}

/** Nothing tells copies in several new or removed files apart. */
function pairOnly(
  groups: readonly FindingGroup[],
  claims: readonly KnownClaim[],
  { decline }: PairOptions,
): readonly MatchedPair[] {
  const isOfOne = (files: readonly (string | null)[]) => new Set(files).size === 1
  if (
    groups.length === claims.length &&
    isOfOne(groups.map(({ lead }) => lead.file)) &&
    isOfOne(claims.map(({ file }) => file))
  )
    return pairInOrder(groups, claims)
  for (const group of groups) decline(group, claims)
  return []
}

/** Pairs what says the same in one file. With its code it stands where the nearest of it stood; without, only a line that is sure decides between several. */
function pairInFile(
  groups: readonly FindingGroup[],
  claims: readonly KnownClaim[],
  { shifts, decline }: PairOptions,
): readonly MatchedPair[] {
  const hasCode = groups.every(({ lead }) => lead.current_code !== null)
  if (hasCode) return pairNearest(groups, claims, shifts)
  if (groups.length === claims.length) return pairInOrder(groups, claims)
  const pairs: MatchedPair[] = []
  const atLine = Map.groupBy(groups, ({ lead }) => lead.line)
  for (const claim of claims) {
    const { line, isSure } = shifts(claim)
    const [group, ...others] = atLine.get(line) ?? []
    if (isSure && group && others.length === 0) pairs.push([group, claim])
  }
  const taken = new Set(pairs.map(([group]) => group))
  const free = claims.filter((claim) => !pairs.some(([, paired]) => paired === claim))
  if (free.length > 0) for (const group of groups) if (!taken.has(group)) decline(group, free)
  return pairs
}

/** Pairs each member of the shorter list with the nearest of the longer one. Copies keep their order, so enough must stay for the rest. */
function pairNearest(
  groups: readonly FindingGroup[],
  claims: readonly KnownClaim[],
  shifts: Shifts,
): readonly MatchedPair[] {
  const [sortedGroups, sortedClaims] = [groups.toSorted(byLead), claims.toSorted(compare)]
  const groupLines = sortedGroups.map((group) => group.lead.line ?? 0)
  const claimLines = sortedClaims.map((claim) => shifts(claim).line)
  const isFewerGroups = groups.length <= claims.length
  const [few, many] = isFewerGroups ? [groupLines, claimLines] : [claimLines, groupLines]
  return nearestInOrder(few, many).map((other, at) => {
    const [group, claim] = isFewerGroups ? [at, other] : [other, at]
    return [sortedGroups[group], sortedClaims[claim]] as unknown as MatchedPair
  })
}

/** For each of `few`, the index in `many`, ascending. */
function nearestInOrder(few: readonly number[], many: readonly number[]): readonly number[] {
  let at = 0
  return few.map((line, index) => {
    const last = many.length - (few.length - index)
    const distance = (position: number) => Math.abs((many[position] ?? 0) - line)
    while (at < last && distance(at + 1) < distance(at)) at += 1
    at += 1
    return at - 1
  })
}

type Ordered = Pick<KnownClaim, 'line' | 'end_line' | 'column' | 'title'>

const compare = (a: Ordered, b: Ordered): number =>
  (a.line ?? 0) - (b.line ?? 0) ||
  (a.end_line ?? 0) - (b.end_line ?? 0) ||
  (a.column ?? 0) - (b.column ?? 0) ||
  (a.title < b.title ? -1 : Number(a.title > b.title))

const byLead = (a: FindingGroup, b: FindingGroup): number => compare(a.lead, b.lead)
