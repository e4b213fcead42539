import type { Finding } from '../model/finding.ts'
import { severityRank } from '../model/severity.ts'
import { normaliseTitle } from './triage-title.ts'

/** Findings of one review that are one problem; the lead gives it its words and its place. */
export interface FindingGroup {
  readonly lead: Finding
  /** The lead first. */
  readonly members: readonly Finding[]
  readonly sources: ReadonlySet<string>
}

export type SameTitle = (a: string, b: string) => boolean

export const maxLineDistance = 5
/** Many problems on few lines are compared with their nearest neighbours only; what is not compared stays apart. */
export const maxCandidates = 64
const maxVoices = 8

/** Merges what several sources say of one problem; one source's own results stay apart unless place and rule are the same. */
export function groupFindings(findings: readonly Finding[], isSameTitle: SameTitle): readonly FindingGroup[] {
  const byFile = Map.groupBy(findings, (finding) => finding.file)
  return [...byFile].flatMap(([file, ofFile]) => {
    if (file === null) return groupIdentical(ofFile, (finding) => finding.fingerprint)
    const ordered = ofFile.length === 1 ? ofFile : ofFile.toSorted(compareFindings)
    const groups = groupIdentical(ordered, identityOf)
    if (new Set(ordered.map(sourceOf)).size === 1) return groups
    const isOnLine = Map.groupBy(groups, (group) => group.lead.line !== null)
    return [
      ...joinNear(isOnLine.get(false) ?? [], 0, isSameTitle),
      ...joinNear(joinNear(isOnLine.get(true) ?? [], 0, isSameTitle), maxLineDistance, isSameTitle),
    ]
  })
}

export const sourceOf = (finding: Finding): string => `${finding.source.kind} ${finding.source.name}`

function groupIdentical(findings: readonly Finding[], identify: (finding: Finding) => string): FindingGroup[] {
  if (findings.length === 1) return [groupOf(findings)]
  return [...Map.groupBy(findings, identify).values()].map((same) => groupOf(same))
}

/** Same source, same lines and same rule; without a rule or a line, the words must be the same too. */
function identityOf(finding: Finding): string {
  const isWordless = finding.rule !== null && finding.line !== null
  const claim = isWordless ? '' : normaliseTitle(finding.title)
  return `${sourceOf(finding)}\0${finding.line}\0${finding.end_line}\0${finding.rule}\0${claim}`
}

function groupOf(members: readonly Finding[]): FindingGroup {
  const sorted = members.length === 1 ? members : members.toSorted(compareLeads)
  return { lead: sorted[0] as Finding, members: sorted, sources: new Set(sorted.map(sourceOf)) }
}

/** Joins groups of different sources that lie near each other and speak of the same; the nearest first. */
function joinNear(
  groups: readonly FindingGroup[],
  maxDistance: number,
  isSameTitle: SameTitle,
): readonly FindingGroup[] {
  const joined: FindingGroup[] = []
  for (const group of groups) {
    let best = -1
    let bestDistance = maxDistance + 1
    for (let at = joined.length - 1; at >= 0 && at >= joined.length - maxCandidates; at -= 1) {
      const other = joined[at] as FindingGroup
      const distance = Math.abs((group.lead.line ?? 0) - (other.lead.line ?? 0))
      if (distance >= bestDistance || !isSameProblem(group, other, isSameTitle)) continue
      best = at
      bestDistance = distance
    }
    const other = joined[best]
    if (other) joined[best] = groupOf([...other.members, ...group.members])
    else joined.push(group)
  }
  return joined
}

function isSameProblem(a: FindingGroup, b: FindingGroup, isSameTitle: SameTitle): boolean {
  if (b.sources.size >= maxCandidates || !a.sources.isDisjointFrom(b.sources)) return false
  return voicesOf(a).some((one) => voicesOf(b).some((other) => isSameClaim(one, other, isSameTitle)))
}

/** One source's members of a group claim the same, so a few speak for all. */
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
    compareText(a.description, b.description)
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
