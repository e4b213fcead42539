import type { Finding } from '../../model/issue/finding.ts'
import type { Issue, IssueStatus } from '../../model/issue/issue.ts'
import {
  isSameClaim,
  maxCandidates,
  maxLineDistance,
  voicesOf,
  type FindingGroup,
  type SameTitle,
} from './groups.ts'
import { preferOriginals, type CodeKey } from './copies.ts'
import { pairByPlace } from './pairs.ts'
import { findRenames } from './renames.ts'
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
  const left = () => groups.filter((group) => !found.has(group))
  const leftIssues = () => {
    const taken = new Set(found.values())
    return living.filter((issue) => !taken.has(issue))
  }
  const renamed = findRenames(groups, living, options.fileExists)
  const byFingerprint = { ...options, renamed, keyOf: fingerprintOf }
  matchByKey(groups, living, { ...byFingerprint, voices: (group) => [group.lead] }, found)
  if (found.size < groups.length && found.size < living.length) {
    matchByKey(left(), leftIssues(), { ...byFingerprint, voices: (group) => group.members.slice(1) }, found)
    const inSight = leftIssues().filter((issue) => !outOfSight.has(issue.status))
    matchByKey(left(), inSight, { ...options, renamed, keyOf: codeOf, voices: voicesOf }, found)
  }
  if (found.size < groups.length) preferOriginals(groups, found, codeOf)
  if (found.size < groups.length && found.size < living.length) {
    matchByPlace(left(), leftIssues(), 0, options, found)
    matchByPlace(left(), leftIssues(), maxLineDistance, options, found)
  }
  const regressions = new Map<FindingGroup, Issue>()
  const merged = known.filter((issue) => issue.status === 'merged').toSorted((a, b) => (a.id < b.id ? 1 : -1))
  if (merged.length > 0)
    matchByKey(left(), merged, { ...byFingerprint, voices: (group) => group.members }, regressions)
  return { known: found, regressions }
}

type Claimed = Pick<Finding & Issue, 'fingerprint' | 'rule' | 'title' | 'current_code'>

const fingerprintOf = ({ fingerprint }: Claimed): string | null => fingerprint

/** The same claim about the same code, whatever stands around it now. */
const codeOf: CodeKey = ({ rule, title, current_code: code }) =>
  code === null ? null : `${rule ?? normaliseTitle(title)}\0${foldCode(code)}`

interface KeyOptions extends Pick<MatchOptions, 'fileExists'> {
  readonly keyOf: (claimed: Claimed) => string | null
  readonly voices: (group: FindingGroup) => readonly Finding[]
  readonly renamed: ReadonlyMap<string, string>
}

function matchByKey(
  groups: readonly FindingGroup[],
  issues: readonly Issue[],
  { keyOf, voices, ...files }: KeyOptions,
  found: Map<FindingGroup, Issue>,
): void {
  if (issues.length === 0) return
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
  voicesOf(group).some((finding) => {
    if (!isSameClaim(finding, issue, isSameTitle)) return false
    if (outOfSight.has(issue.status))
      return (
        foldCode(finding.current_code) === foldCode(issue.current_code) || isDismissedAgain(finding, issue)
      )
    // Another source words it otherwise and cites another line; the same source says the same of almost the same code.
    return !issue.flagged_by.includes(finding.source.name) || isEdited(finding, issue)
  })

/** A reviewer cites now more, now less of the code that a person has dismissed it for; what a tool cites is exact. */
function isDismissedAgain(finding: Finding, issue: Issue): boolean {
  if (issue.status !== 'ignored' || finding.source.kind !== 'agent') return false
  const [cited, dismissed] = [linesOf(finding.current_code), linesOf(issue.current_code)]
  const [shorter, longer] = cited.length < dismissed.length ? [cited, dismissed] : [dismissed, cited]
  return shorter.length > 0 && `\n${longer.join('\n')}\n`.includes(`\n${shorter.join('\n')}\n`)
}

const linesOf = (code: string | null): readonly string[] =>
  (code ?? '')
    .split('\n')
    .map(foldCode)
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
