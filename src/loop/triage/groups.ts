import type { Finding } from '../../model/issue/finding.ts'
import { severityRank } from '../../model/issue/severity.ts'
import { normaliseTitle } from './title.ts'

/** Findings of one review that are one problem; the lead gives it its words and its place. */
export interface FindingGroup {
  readonly lead: Finding
  /** The lead first. */
  readonly members: readonly Finding[]
  /** Where the members stand in the report, ascending. */
  readonly positions: readonly number[]
}

export type SameTitle = (a: string, b: string) => boolean

export const maxLineDistance = 5
/** Many problems on few lines are compared with their nearest neighbours only; what is not compared stays apart. */
export const maxCandidates = 32
const maxVoices = 8

/** Merges what several sources say of one problem; one source's own results stay apart unless place and rule are the same. */
export function groupFindings(findings: readonly Finding[], isSameTitle: SameTitle): readonly FindingGroup[] {
  const byFile = new Map<string | null, number[]>()
  for (const [position, { file }] of findings.entries()) {
    const ofFile = byFile.get(file)
    if (ofFile) ofFile.push(position)
    else byFile.set(file, [position])
  }
  const groups: FindingGroup[] = []
  for (const ofFile of byFile.values())
    for (const group of groupInFile(findings, ofFile, isSameTitle)) groups.push(group)
  return groups.sort((a, b) => (a.positions[0] ?? 0) - (b.positions[0] ?? 0))
}

function groupInFile(
  findings: readonly Finding[],
  positions: readonly number[],
  isSameTitle: SameTitle,
): readonly FindingGroup[] {
  const groups = groupIdentical(findings, positions)
  const first = groups[0]?.lead
  if (first?.file === null || groups.every((group) => isSameSource(group.lead, first))) return groups
  groups.sort((a, b) => compareFindings(a.lead, b.lead))
  const isSameCode: SameProblem = (a, b) => a.fingerprint === b.fingerprint
  const isAlike: SameProblem = (a, b) => isSameClaim(a, b, isSameTitle)
  const joinOnLine = (some: readonly FindingGroup[]) => joinNear(joinNear(some, 0, isSameCode), 0, isAlike)
  const fileLevel = groups.filter((group) => group.lead.line === null)
  const onLines = groups.filter((group) => group.lead.line !== null)
  return [...joinOnLine(fileLevel), ...joinNear(joinOnLine(onLines), maxLineDistance, isAlike)]
}

type SameProblem = (a: Finding, b: Finding) => boolean

/** Puts what one source says more than once of one place into one group; only findings on the same line are compared. */
function groupIdentical(findings: readonly Finding[], positions: readonly number[]): FindingGroup[] {
  const findingAt = (position: number) => findings[position] as Finding
  const lineAt = (position: number) => findingAt(position).line ?? 0
  const sorted = positions.toSorted((a, b) => lineAt(a) - lineAt(b))
  const groups: FindingGroup[] = []
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    const line = lineAt(sorted[start] as number)
    while (end < sorted.length && lineAt(sorted[end] as number) === line) end += 1
    const onLine = sorted.slice(start, end)
    const alike =
      onLine.length === 1
        ? [onLine]
        : Map.groupBy(onLine, (position) => identityOf(findingAt(position))).values()
    for (const same of alike) groups.push(groupOf(same.map(findingAt), same))
  }
  return groups
}

const isSameSource = (a: Finding, b: Finding | undefined): boolean =>
  a.source === b?.source || (a.source.name === b?.source.name && a.source.kind === b?.source.kind)

const sourceOf = (finding: Finding): string => `${finding.source.kind} ${finding.source.name}`

/** Same source, same lines and same rule; without a rule or a line, the words must be the same too. */
function identityOf(finding: Finding): string {
  if (finding.file === null) return finding.fingerprint
  const isWordless = finding.rule !== null && finding.line !== null
  const claim = isWordless ? '' : normaliseTitle(finding.title)
  return `${sourceOf(finding)}\0${finding.line}\0${finding.end_line}\0${finding.rule}\0${claim}`
}

function groupOf(findings: readonly Finding[], positions: readonly number[]): FindingGroup {
  const members = findings.length === 1 ? findings : findings.toSorted(compareLeads)
  return { lead: members[0] as Finding, members, positions }
}

const join = (a: FindingGroup, b: FindingGroup): FindingGroup =>
  groupOf(
    [...a.members, ...b.members],
    [...a.positions, ...b.positions].sort((x, y) => x - y),
  )

/** Joins groups of different sources that lie near each other and make the same claim; each joins the nearest. */
function joinNear(
  groups: readonly FindingGroup[],
  maxDistance: number,
  isSame: SameProblem,
): readonly FindingGroup[] {
  const joined: FindingGroup[] = []
  for (const group of groups) {
    let best = -1
    let bestDistance = maxDistance + 1
    for (let at = joined.length - 1; at >= 0 && at >= joined.length - maxCandidates; at -= 1) {
      const other = joined[at] as FindingGroup
      const distance = distanceOf(group, other)
      if (distance >= bestDistance || !canJoin(group, other, isSame)) continue
      best = at
      bestDistance = distance
    }
    const other = joined[best]
    if (other) joined[best] = join(other, group)
    else joined.push(group)
  }
  return joined
}

/** In lines, between the members farthest apart, so that a chain of neighbours does not become one problem. */
function distanceOf(a: FindingGroup, b: FindingGroup): number {
  let farthest = 0
  for (const one of voicesOf(a)) {
    for (const other of voicesOf(b))
      farthest = Math.max(farthest, Math.abs((one.line ?? 0) - (other.line ?? 0)))
  }
  return farthest
}

function canJoin(a: FindingGroup, b: FindingGroup, isSame: SameProblem): boolean {
  if (isSameSource(a.lead, b.lead)) return false
  const voices = voicesOf(b)
  if (!voicesOf(a).some((one) => voices.some((other) => isSame(one, other)))) return false
  const sources = new Set(b.members.map(sourceOf))
  return sources.size < maxCandidates && a.members.every((finding) => !sources.has(sourceOf(finding)))
}

/** Members of the same source make the same claim, so the first few stand for all. */
export const voicesOf = (group: FindingGroup): readonly Finding[] =>
  group.members.length <= maxVoices ? group.members : group.members.slice(0, maxVoices)

interface Claim {
  readonly rule: string | null
  readonly title: string
}

export const isSameClaim = (a: Claim, b: Claim, isSameTitle: SameTitle): boolean =>
  (a.rule !== null && a.rule === b.rule) || isSameTitle(a.title, b.title)

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** By place, then by whatever tells two findings apart, so that the order of the report does not matter. */
function compareFindings(a: Finding, b: Finding): number {
  return (
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.end_line ?? 0) - (b.end_line ?? 0) ||
    compareText(sourceOf(a), sourceOf(b)) ||
    compareText(a.rule ?? '', b.rule ?? '') ||
    compareText(a.title, b.title) ||
    compareText(a.description, b.description) ||
    compareText(a.suggested_fix ?? '', b.suggested_fix ?? '') ||
    compareText(a.suppressed ?? '', b.suppressed ?? '')
  )
}

/** The best anchored and most severe finding leads; one with a rule before one without. */
function compareLeads(a: Finding, b: Finding): number {
  return (
    Number(b.anchor === 'exact') - Number(a.anchor === 'exact') ||
    severityRank(b.severity) - severityRank(a.severity) ||
    Number(b.rule !== null) - Number(a.rule !== null) ||
    compareFindings(a, b)
  )
}
