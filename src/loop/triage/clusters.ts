import type { Finding } from '../../model/issue/finding.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { compareText, maxCandidates, maxLineDistance, type FindingGroup } from './matching/groups.ts'
import type { VoicesOf } from '../ports.ts'
import { voicesIn } from './matching/known-claim.ts'
import { isAboutOther, type Likeness } from './matching/words.ts'
import { isFluid } from './merge-issues.ts'

/** The claims of several sources about one problem of one file. */
export interface Cluster {
  readonly groups: readonly FindingGroup[]
  /** Known issues that are this problem. */
  readonly issues: readonly Issue[]
  /** Findings that are this problem by now, though they once joined another issue. */
  readonly strays: readonly Stray[]
}

export interface Stray {
  readonly issue: Issue
  /** Of one source. */
  readonly findings: readonly Finding[]
}

export interface ClusterInput {
  readonly groups: readonly FindingGroup[]
  /** Issues in sight. */
  readonly issues: readonly Issue[]
  /** The issue that a group was found again as. */
  readonly matched: ReadonlyMap<FindingGroup, Issue>
  readonly voicesOf: VoicesOf
  readonly likeness: Likeness
}

/**
 * Merges the claims of different sources about one problem. The result depends only on the claims, not on their order:
 * the findings of issues that nobody worked on yet are merged anew, the most alike first.
 */
export function clusterFindings(input: ClusterInput): readonly Cluster[] {
  const byFile = Map.groupBy(unitsOf(input), (unit) => unit.said.file)
  return byFile
    .entries()
    .flatMap(([file, units]) =>
      file === null ? units.map((unit) => [unit]) : joinUnits(units, input.likeness),
    )
    .map(clusterOf)
    .toArray()
}

/** The smallest part that is never divided. */
interface Unit {
  /** What it says, and where. */
  readonly said: Said
  readonly voices: Said[]
  readonly sources: Source[]
  readonly groups: FindingGroup[]
  readonly head: Issue | null
  readonly stray: Stray | null
}

type Said = Pick<Finding, 'rule' | 'title' | 'description' | 'file' | 'line' | 'end_line' | 'fingerprint'> &
  Partial<Pick<Finding, 'column'>>

interface Source {
  readonly name: string
  /** A model words its answers anew, so that only those of one run are certainly different problems. */
  readonly run: string | null
}

const sourceOf = ({ source, review_id }: Finding): Source => ({
  name: source.name,
  run: source.kind === 'agent' ? review_id : null,
})

function unitsOf({ groups, issues, matched, voicesOf }: ClusterInput): readonly Unit[] {
  const units: Unit[] = []
  const homes = new Map<Issue, readonly Unit[]>()
  for (const issue of issues) {
    const ofIssue = issueUnits(issue, voicesOf)
    homes.set(issue, ofIssue)
    units.push(...ofIssue)
  }
  for (const group of groups) {
    const home = homes.get(matched.get(group) as Issue)
    const { name } = group.lead.source
    const own = home?.find(({ sources }) => sources.some((source) => source.name === name)) ?? home?.[0]
    if (own) addTo(own, group)
    else if (!matched.has(group)) units.push(groupUnit(group))
  }
  return units
}

function addTo(unit: Unit, group: FindingGroup): void {
  unit.groups.push(group)
  unit.voices.push(group.lead)
  unit.sources.push(sourceOf(group.lead))
}

const groupUnit = (group: FindingGroup): Unit => ({
  said: group.lead,
  voices: [group.lead],
  sources: group.members.map(sourceOf),
  groups: [group],
  head: null,
  stray: null,
})

/** One unit, or one for each of its findings where they may be merged anew. */
function issueUnits(issue: Issue, voicesOf: VoicesOf): readonly Unit[] {
  const [lead, ...others] = voicesIn(issue, voicesOf)
  const whole = { said: issue, groups: [] as FindingGroup[], head: issue, stray: null }
  const run = issue.task_id
  if (lead === undefined)
    return [{ ...whole, voices: [issue], sources: issue.flagged_by.map((name) => ({ name, run })) }]
  if (!isFluid(issue) || !voicesOf(issue.id)?.isOfThisCommit || issue.file === null)
    return [{ ...whole, voices: [lead, ...others], sources: [lead, ...others].map(sourceOf) }]
  const said = { ...lead, line: issue.line, end_line: issue.end_line, file: issue.file }
  const bySource = Map.groupBy(others, ({ source }) => source.name)
  const again = bySource.get(lead.source.name) ?? []
  bySource.delete(lead.source.name)
  return [
    { ...whole, said, voices: [said, ...again], sources: [lead, ...again].map(sourceOf) },
    ...bySource.values().map((findings): Unit => ({
      said: findings[0] as Finding,
      voices: findings,
      sources: findings.map(sourceOf),
      groups: [],
      head: null,
      stray: { issue, findings },
    })),
  ]
}

interface Link {
  readonly a: number
  readonly b: number
  readonly strength: number
}

/** Joins units that say the same, the most alike first; claims that one source makes apart stay apart. */
function joinUnits(units: readonly Unit[], likeness: Likeness): readonly (readonly Unit[])[] {
  if (isOfOneTool(units)) return units.map((unit) => [unit])
  const sorted = units.toSorted(compareUnits)
  const parts = sorted.map((_, at) => [at])
  const partOf = sorted.map((_, at) => at)
  const unitsAt = (places: readonly number[]) => places.map((at) => sorted[at] as Unit)
  for (const { a, b } of linksOf(sorted, likeness)) {
    const [to, from] = [partOf[a] as number, partOf[b] as number]
    const [kept, added] = [parts[to] as number[], parts[from] as number[]]
    if (to === from || !canJoin(unitsAt(kept), unitsAt(added))) continue
    for (const at of added) partOf[at] = to
    kept.push(...added)
    parts[from] = []
  }
  return parts.filter((part) => part.length > 0).map(unitsAt)
}

/** Then nothing can be merged. */
function isOfOneTool(units: readonly Unit[]): boolean {
  const name = units[0]?.sources[0]?.name
  return (
    units.length === 1 ||
    units.every((unit) =>
      unit.sources.every((source) => source.name === name && (unit.head !== null || source.run === null)),
    )
  )
}

/** By place, then by whatever tells two units apart: known and new claims come in one order. */
function compareUnits(a: Unit, b: Unit): number {
  const [one, other] = [a.said, b.said]
  return (
    (one.line ?? 0) - (other.line ?? 0) ||
    (one.end_line ?? 0) - (other.end_line ?? 0) ||
    (one.column ?? 0) - (other.column ?? 0) ||
    compareText(a.sources[0]?.name ?? '', b.sources[0]?.name ?? '') ||
    compareText(one.rule ?? '', other.rule ?? '') ||
    compareText(one.title, other.title) ||
    compareText(one.description, other.description)
  )
}

function linksOf(sorted: readonly Unit[], likeness: Likeness): readonly Link[] {
  const links: Link[] = []
  for (const [b, unit] of sorted.entries()) {
    for (let a = b - 1; a >= 0 && a >= b - maxCandidates; a -= 1) {
      const other = sorted[a] as Unit
      const distance = (unit.said.line ?? 0) - (other.said.line ?? 0)
      if (distance > maxLineDistance) break
      if ((unit.said.line === null) !== (other.said.line === null) || isConflict([unit], [other])) continue
      const strength = strengthOf(unit, other, likeness)
      if (strength > 0) links.push({ a, b, strength: strength - distance / 100 })
    }
  }
  return links.sort((one, two) => two.strength - one.strength || one.b - two.b || one.a - two.a)
}

const strengthOf = (a: Unit, b: Unit, likeness: Likeness): number =>
  Math.max(...a.voices.flatMap((one) => b.voices.map((other) => strengthBetween(one, other, likeness))))

/** Likeness from 0 to 1; the same rule is worth more than any, and the same code under the same rule more than that. */
function strengthBetween(a: Said, b: Said, likeness: Likeness): number {
  const alike = likeness(a, b)
  const isSameRule = a.rule !== null && a.rule === b.rule
  const isSameCode = a.fingerprint === b.fingerprint
  if ((!isSameRule && !isSameCode) || isAboutOther(a.description, b.description)) return alike
  return alike + (isSameCode ? 2 : 1)
}

/** A chain of neighbours is not one problem. */
const canJoin = (some: readonly Unit[], others: readonly Unit[]): boolean =>
  !isConflict(some, others) && spanOf([...some, ...others]) <= maxLineDistance

function spanOf(units: readonly Unit[]): number {
  const lines = units.map(({ said }) => said.line ?? 0)
  return Math.max(...lines) - Math.min(...lines)
}

/** Whether both hold claims that one source told apart. */
const isConflict = (some: readonly Unit[], others: readonly Unit[]): boolean =>
  some.some((unit) => others.some((other) => unit.sources.some((source) => isToldApart(source, unit, other))))

const isToldApart = ({ name, run }: Source, unit: Unit, other: Unit): boolean =>
  other.sources.some(
    (source) =>
      source.name === name &&
      ((unit.head && other.head) || run === null || source.run === null || run === source.run),
  )

const clusterOf = (units: readonly Unit[]): Cluster => ({
  groups: units.flatMap(({ groups }) => groups),
  issues: units.flatMap(({ head }) => head ?? []),
  strays: units.flatMap(({ stray }) => stray ?? []),
})
