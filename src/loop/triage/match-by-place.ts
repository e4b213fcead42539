import type { Finding } from '../../model/issue/finding.ts'
import type { Issue, IssueStatus } from '../../model/issue/issue.ts'
import { foldSpace } from './anchor.ts'
import { isSameClaim, maxCandidates, voicesOf, type FindingGroup, type SameTitle } from './groups.ts'
import type { Unpaired } from './pairs.ts'
import { normaliseTitle } from './title.ts'

interface PlaceOptions {
  readonly isSameTitle: SameTitle
  /** In lines. */
  readonly maxDistance: number
}

/** Finds for each group the nearest issue of its file that makes the same claim; each issue is found once. */
export function matchByPlace(
  { groups, issues }: Unpaired,
  options: PlaceOptions,
): ReadonlyMap<FindingGroup, Issue> {
  const files = new Set(groups.map((group) => group.lead.file))
  const near = issues.filter((issue) => issue.file !== null && files.has(issue.file))
  const byFile = Map.groupBy(near, (issue) => issue.file)
  for (const ofFile of byFile.values())
    ofFile.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.id < b.id ? -1 : 1))
  const found = new Map<FindingGroup, Issue>()
  const taken = new Set<Issue>()
  for (const group of groups) {
    const issue = nearestIssue(group, byFile.get(group.lead.file) ?? [], { ...options, taken })
    if (issue === null) continue
    taken.add(issue)
    found.set(group, issue)
  }
  return found
}

function nearestIssue(
  group: FindingGroup,
  sorted: readonly Issue[],
  { taken, maxDistance, isSameTitle }: PlaceOptions & { readonly taken: ReadonlySet<Issue> },
): Issue | null {
  const line = group.lead.line ?? 0
  let best: Issue | null = null
  let bestDistance = maxDistance + 1
  let seen = 0
  for (let at = firstFrom(sorted, line - maxDistance); at < sorted.length && seen < maxCandidates; at += 1) {
    const issue = sorted[at] as Issue
    const distance = Math.abs((issue.line ?? 0) - line)
    if ((issue.line ?? 0) > line + maxDistance) break
    if ((issue.line === null) !== (group.lead.line === null) || taken.has(issue)) continue
    seen += 1
    if (distance >= bestDistance || !isStillSame(group, issue, isSameTitle)) continue
    best = issue
    bestDistance = distance
  }
  return best
}

/** An issue that is out of sight must not swallow a new problem beside it: there, the code must be the same. */
export const outOfSight: ReadonlySet<IssueStatus> = new Set(['ignored', 'duplicate', 'resolved'])

const isStillSame = (group: FindingGroup, issue: Issue, isSameTitle: SameTitle): boolean =>
  voicesOf(group).some((finding) => {
    if (!isSameClaim(finding, issue, isSameTitle)) return false
    if (outOfSight.has(issue.status))
      return (
        foldSpace(finding.current_code ?? '') === foldSpace(issue.current_code ?? '') ||
        isDismissedAgain(finding, issue)
      )
    // Another source words it otherwise and cites another line; the same source says the same of almost the same code.
    return !issue.flagged_by.includes(finding.source.name) || isEdited(finding, issue)
  })

/** A reviewer may cite more or less of the code than when a person dismissed the issue; a tool always cites the same. */
function isDismissedAgain(finding: Finding, issue: Issue): boolean {
  if (issue.status !== 'ignored' || finding.source.kind !== 'agent') return false
  const [cited, dismissed] = [linesOf(finding.current_code), linesOf(issue.current_code)]
  const [shorter, longer] = cited.length < dismissed.length ? [cited, dismissed] : [dismissed, cited]
  return shorter.length > 0 && `\n${longer.join('\n')}\n`.includes(`\n${shorter.join('\n')}\n`)
}

const linesOf = (code: string | null): readonly string[] =>
  (code ?? '')
    .split('\n')
    .map(foldSpace)
    .filter((line) => line !== '')

const isEdited = (finding: Finding, issue: Issue): boolean =>
  normaliseTitle(finding.title) === normaliseTitle(issue.title) &&
  isAlikeCode(finding.current_code, issue.current_code)

/** At least half of the words are the same; where no code is cited, there is nothing to compare. */
function isAlikeCode(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return true
  const [words, others] = [wordsOf(a), wordsOf(b)]
  const shared = [...words].filter((word) => others.has(word)).length
  return shared * 2 >= words.size + others.size - shared
}

const wordsOf = (code: string): ReadonlySet<string> =>
  new Set(code.slice(0, 1_000).match(/[\p{L}\p{N}_]+/gu) ?? [])

/** The first index whose line is not before `line`. */
function firstFrom(sorted: readonly Issue[], line: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle]?.line ?? 0) < line) low = middle + 1
    else high = middle
  }
  return low
}
