import type { Finding } from '../../../model/issue/finding.ts'
import { severityRank } from '../../../model/issue/severity.ts'
import { foldSpace } from './words.ts'

/** Findings of one review that are one problem; the lead gives it its words and its place. */
export interface FindingGroup {
  readonly lead: Finding
  /** The lead first. */
  readonly members: readonly Finding[]
  /** Where the members stand in the report, ascending. */
  readonly positions: readonly number[]
}

/** How many lines the places of one problem may lie apart. */
export const maxLineDistance = 5
/** Many problems on few lines are compared with their nearest neighbours only; problems that are not compared stay apart. */
export const maxCandidates = 64

/** Groups the repeated claims of one source about one place, in the order of the report. */
export function groupIdentical(findings: readonly Finding[]): readonly FindingGroup[] {
  const identityAt = (position: number): string => identityOf(findings[position] as Finding)
  const groupAt = (positions: readonly number[]): FindingGroup =>
    groupOf(
      positions.map((position) => findings[position] as Finding),
      positions,
    )
  const byFirst: (FindingGroup | undefined)[] = findings.map(() => undefined)
  for (const positions of samePlaces(findings)) {
    const alike = positions.length === 1 ? [positions] : Map.groupBy(positions, identityAt).values()
    for (const some of alike) byFirst[some[0] as number] = groupAt(some)
  }
  return byFirst.filter((group) => group !== undefined)
}

/** The positions of findings that cite one line, or that cite no file: only these can be one problem. */
function samePlaces(findings: readonly Finding[]): readonly (readonly number[])[] {
  const byFile = new Map<string | null, Map<number | null, number[]>>()
  for (const [position, { file, line }] of findings.entries()) {
    const byLine = byFile.get(file) ?? new Map<number | null, number[]>()
    byFile.set(file, byLine)
    const key = file === null ? null : line
    const known = byLine.get(key)
    if (known === undefined) byLine.set(key, [position])
    else known.push(position)
  }
  return [...byFile.values()].flatMap((byLine) => [...byLine.values()])
}

/**
 * Rule, region and message of one source: a claim that differs in one of them is another problem. Without a column, the
 * source's own fingerprints tell two on one line apart; without a file, the words are all there is.
 */
function identityOf(finding: Finding): string {
  if (finding.file === null) return finding.fingerprint
  const { file, line, end_line, column, rule, marks = [] } = finding
  const region = column ?? marks.filter((mark) => mark.startsWith('fingerprint ')).join(' ')
  return [sourceOf(finding), file, line, end_line, region, rule, foldSpace(finding.description)].join('\0')
}

const sourceOf = (finding: Finding): string => `${finding.source.kind} ${finding.source.name}`

export function groupOf(findings: readonly Finding[], positions: readonly number[]): FindingGroup {
  const members = findings.length === 1 ? findings : findings.toSorted(compareLeads)
  return { lead: members[0] as Finding, members, positions }
}

export const joinGroups = (groups: readonly FindingGroup[]): FindingGroup =>
  groups.length === 1
    ? (groups[0] as FindingGroup)
    : groupOf(
        groups.flatMap(({ members }) => members),
        groups.flatMap(({ positions }) => positions).sort((a, b) => a - b),
      )

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** By place, then by whatever tells two findings apart, so that the order of the report does not matter. */
function compareFindings(a: Finding, b: Finding): number {
  return (
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.end_line ?? 0) - (b.end_line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
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
