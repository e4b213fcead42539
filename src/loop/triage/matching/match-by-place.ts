import type { Finding } from '../../../model/issue/finding.ts'
import { maxCandidates, type FindingGroup } from './groups.ts'
import { isOutOfSight, mayBeReworded, saidBy, type KnownClaim } from './known-claim.ts'
import type { MatchedPair, Unpaired } from './pairs.ts'
import type { Shifts } from './shifts.ts'
import { foldSpace, type Likeness } from './words.ts'

interface PlaceOptions {
  readonly likeness: Likeness
  readonly shifts: Shifts
  /** In lines. */
  readonly maxDistance: number
}

interface Placed {
  readonly claim: KnownClaim
  /** Where it should be now; null for a claim about the whole file. */
  readonly line: number | null
  readonly isSure: boolean
}

/** Finds for each group the nearest claim of its file that says the same; each issue is found once. */
export function matchByPlace({ groups, claims }: Unpaired, options: PlaceOptions): readonly MatchedPair[] {
  const files = new Set(groups.map((group) => group.lead.file))
  const near = claims.filter(({ file }) => file !== null && files.has(file))
  if (near.length === 0) return []
  const placed = near.map((claim): Placed => {
    const { line, isSure } = options.shifts(claim)
    return { claim, line: claim.line === null ? null : line, isSure }
  })
  const byFile = Map.groupBy(placed, ({ claim }) => claim.file)
  for (const ofFile of byFile.values())
    ofFile.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.claim.issue.id < b.claim.issue.id ? -1 : 1))
  const pairs: MatchedPair[] = []
  const taken = new Set<KnownClaim['issue']>()
  for (const group of groups) {
    const claim = nearestClaim(group, byFile.get(group.lead.file) ?? [], { ...options, taken })
    if (claim === null) continue
    taken.add(claim.issue)
    pairs.push([group, claim])
  }
  return pairs
}

function nearestClaim(
  group: FindingGroup,
  sorted: readonly Placed[],
  { taken, maxDistance, likeness }: PlaceOptions & { readonly taken: ReadonlySet<KnownClaim['issue']> },
): KnownClaim | null {
  const line = group.lead.line ?? 0
  let best: KnownClaim | null = null
  let bestDistance = maxDistance + 1
  let seen = 0
  for (let at = firstFrom(sorted, line - maxDistance); at < sorted.length && seen < maxCandidates; at += 1) {
    const placed = sorted[at] as Placed
    const distance = Math.abs((placed.line ?? 0) - line)
    if ((placed.line ?? 0) > line + maxDistance) break
    if ((placed.line === null) !== (group.lead.line === null) || taken.has(placed.claim.issue)) continue
    seen += 1
    if (distance >= bestDistance || !isStillSame(group, placed, likeness)) continue
    best = placed.claim
    bestDistance = distance
  }
  return best
}

/** An issue that is out of sight must not swallow a new problem beside it: there, the code must be the same. */
function isStillSame(group: FindingGroup, { claim, line, isSure }: Placed, likeness: Likeness): boolean {
  const { lead } = group
  if (!claim.issue.flagged_by.includes(lead.source.name) || isOutOfSight(claim.issue))
    return isSameClaim(lead, claim, likeness) && (isSameCode(lead, claim) || isDismissedAgain(lead, claim))
  const isSaid = saidBy(lead) === saidBy(claim)
  // A model words and places what it says anew in every run.
  if (lead.source.kind === 'agent' && likeness(lead, claim) > 0) return isSaid || isAlikeCode(lead, claim)
  if (lead.rule !== claim.rule) return false
  if (lead.current_code !== null && claim.current_code !== null) return isSaid && isAlikeCode(lead, claim)
  // Without its code, only a line that is sure tells that it is the same in other words.
  const isThere = line === lead.line && (isSure || claim.column === undefined || lead.column === claim.column)
  return isThere && !isSaid && mayBeReworded(group, claim) && likeness(lead, claim) > 0
}

const isSameClaim = (finding: Finding, claim: KnownClaim, likeness: Likeness): boolean =>
  saidBy(finding) === saidBy(claim) || likeness(finding, claim) > 0

const isSameCode = (finding: Finding, claim: KnownClaim): boolean =>
  foldSpace(finding.current_code ?? '') === foldSpace(claim.current_code ?? '')

/** A reviewer may cite more or less of the code than when a person dismissed the issue; a tool always cites the same. */
function isDismissedAgain(finding: Finding, { issue, current_code: code }: KnownClaim): boolean {
  if (issue.status !== 'ignored' || finding.source.kind !== 'agent') return false
  const [cited, dismissed] = [linesOf(finding.current_code), linesOf(code)]
  const [shorter, longer] = cited.length < dismissed.length ? [cited, dismissed] : [dismissed, cited]
  return shorter.length > 0 && `\n${longer.join('\n')}\n`.includes(`\n${shorter.join('\n')}\n`)
}

const linesOf = (code: string | null): readonly string[] =>
  (code ?? '')
    .split('\n')
    .map(foldSpace)
    .filter((line) => line !== '')

/** At least half of the words are the same; where no code is cited, there is nothing to compare. */
export function isAlikeCode({ current_code: a }: Finding, { current_code: b }: KnownClaim): boolean {
  if (a === null || b === null) return true
  const [words, others] = [wordsOf(a), wordsOf(b)]
  const shared = [...words].filter((word) => others.has(word)).length
  return shared * 2 >= words.size + others.size - shared
}

const wordsOf = (code: string): ReadonlySet<string> =>
  new Set(code.slice(0, 1_000).match(/[\p{L}\p{N}_]+/gu) ?? [])

/** The first index whose line is not before `line`. */
function firstFrom(sorted: readonly Placed[], line: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle]?.line ?? 0) < line) low = middle + 1
    else high = middle
  }
  return low
}
