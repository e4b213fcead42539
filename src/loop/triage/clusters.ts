import type { Issue } from '../../model/issue/issue.ts'
import { compareText, maxCandidates, maxLineDistance, type FindingGroup } from './matching/groups.ts'
import { isAboutOther, type Likeness } from './matching/words.ts'
import {
  unitsOf,
  type PlacedClaim,
  type ClaimSource,
  type Stray,
  type Unit,
  type UnitInput,
} from './units.ts'

/** The claims of several sources about one problem of one file. */
export interface Cluster {
  readonly groups: readonly FindingGroup[]
  /** Known issues that are this problem. */
  readonly issues: readonly Issue[]
  /** Findings that are this problem by now, though they once joined another issue. */
  readonly strays: readonly Stray[]
}

/**
 * Merges the claims of different sources about one problem. The result depends only on the claims, not on their order:
 * the findings of issues that nobody worked on yet are merged anew, the most alike first.
 */
export function clusterFindings(input: UnitInput, likeness: Likeness): readonly Cluster[] {
  const byFile = Map.groupBy(unitsOf(input), (unit) => unit.said.file)
  return byFile
    .entries()
    .flatMap(([file, units]) => (file === null ? units.map((unit) => [unit]) : joinUnits(units, likeness)))
    .map(clusterOf)
    .toArray()
}

interface Link {
  readonly a: number
  readonly b: number
  readonly strength: number
}

/**
 * Joins units that say the same, the most alike first. Claims that one source makes apart stay apart, and so do two groups
 * of which more than a third of the claims are unlike: one claim that resembles both is no reason.
 */
function joinUnits(units: readonly Unit[], likeness: Likeness): readonly (readonly Unit[])[] {
  if (isOfOneTool(units)) return units.map((unit) => [unit])
  const sorted = units.toSorted(compareUnits)
  const parts = sorted.map((_, at) => [at])
  const partOf = sorted.map((_, at) => at)
  const unitsAt = (places: readonly number[]) => places.map((at) => sorted[at] as Unit)
  const links = linksOf(sorted, likeness)
  const linked = sorted.map(() => new Set<number>())
  for (const { a, b } of links) linked[b]?.add(a)
  const linksBetween = (some: readonly number[], others: readonly number[]): number =>
    some.reduce((sum, a) => sum + others.filter((b) => linked[Math.max(a, b)]?.has(Math.min(a, b))).length, 0)
  for (const { a, b } of links) {
    const [to, from] = [partOf[a] as number, partOf[b] as number]
    const [kept, added] = [parts[to] as number[], parts[from] as number[]]
    if (to === from || linksBetween(kept, added) * 3 < kept.length * added.length * 2) continue
    if (!canJoin(unitsAt(kept), unitsAt(added))) continue
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
function strengthBetween(a: PlacedClaim, b: PlacedClaim, likeness: Likeness): number {
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

const isToldApart = ({ name, run }: ClaimSource, unit: Unit, other: Unit): boolean =>
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
