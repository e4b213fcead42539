import type { Finding } from '../model/finding.ts'
import type { Issue, IssueStatus } from '../model/issue.ts'
import {
  isSameClaim,
  maxCandidates,
  maxLineDistance,
  voicesOf,
  type FindingGroup,
  type SameTitle,
} from './triage-groups.ts'
import { pairByPlace } from './triage-pairs.ts'

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
  const left = () => groups.filter((group) => !found.has(group))
  const leftIssues = () => {
    const taken = new Set(found.values())
    return living.filter((issue) => !taken.has(issue))
  }
  matchByFingerprint(groups, living, (group) => [group.lead], options, found)
  if (found.size < groups.length && found.size < living.length) {
    matchByFingerprint(left(), leftIssues(), (group) => group.members.slice(1), options, found)
    matchByPlace(left(), leftIssues(), 0, options, found)
    matchByPlace(left(), leftIssues(), maxLineDistance, options, found)
  }
  const regressions = new Map<FindingGroup, Issue>()
  const merged = known.filter((issue) => issue.status === 'merged').toSorted((a, b) => (a.id < b.id ? 1 : -1))
  if (merged.length > 0) matchByFingerprint(left(), merged, (group) => group.members, options, regressions)
  return { known: found, regressions }
}

function matchByFingerprint(
  groups: readonly FindingGroup[],
  issues: readonly Issue[],
  voices: (group: FindingGroup) => readonly Finding[],
  options: MatchOptions,
  found: Map<FindingGroup, Issue>,
): void {
  if (issues.length === 0) return
  const byFingerprint = new Map<string, { groups: FindingGroup[]; issues: Issue[] }>()
  for (const group of groups) {
    for (const voice of voices(group)) {
      const bucket = byFingerprint.get(voice.fingerprint)
      if (bucket) bucket.groups.push(group)
      else byFingerprint.set(voice.fingerprint, { groups: [group], issues: [] })
    }
  }
  for (const issue of issues) byFingerprint.get(issue.fingerprint)?.issues.push(issue)
  for (const bucket of byFingerprint.values()) {
    if (bucket.issues.length === 0) continue
    const free = bucket.groups.filter((group) => !found.has(group))
    for (const [group, issue] of pairByPlace(free, bucket.issues, options.fileExists)) found.set(group, issue)
  }
}

function matchByPlace(
  groups: readonly FindingGroup[],
  issues: readonly Issue[],
  maxDistance: number,
  options: MatchOptions,
  found: Map<FindingGroup, Issue>,
): void {
  const files = new Set(groups.map((group) => group.lead.file))
  const near = issues.filter((issue) => issue.file !== null && files.has(issue.file))
  const byFile = Map.groupBy(near, (issue) => issue.file)
  for (const ofFile of byFile.values())
    ofFile.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.id < b.id ? -1 : 1))
  const taken = new Set<Issue>()
  for (const group of groups) {
    const issue = nearestIssue(
      group,
      byFile.get(group.lead.file) ?? [],
      taken,
      maxDistance,
      options.isSameTitle,
    )
    if (issue === null) continue
    taken.add(issue)
    found.set(group, issue)
  }
}

function nearestIssue(
  group: FindingGroup,
  sorted: readonly Issue[],
  taken: ReadonlySet<Issue>,
  maxDistance: number,
  isSameTitle: SameTitle,
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
const outOfSight: ReadonlySet<IssueStatus> = new Set(['ignored', 'duplicate', 'resolved'])

const isStillSame = (group: FindingGroup, issue: Issue, isSameTitle: SameTitle): boolean =>
  voicesOf(group).some(
    (finding) =>
      isSameClaim(finding, issue, isSameTitle) &&
      (!outOfSight.has(issue.status) || foldCode(finding.current_code) === foldCode(issue.current_code)),
  )

const foldCode = (code: string | null): string => (code ?? '').replaceAll(/\s+/g, ' ').trim()

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
