import type { Finding } from '../../model/issue/finding.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { VoicesOf } from '../ports.ts'
import type { FindingGroup } from './matching/groups.ts'
import { voicesIn } from './matching/known-claim.ts'
import { isFluid } from './merge-issues.ts'

export interface UnitInput {
  readonly groups: readonly FindingGroup[]
  /** Issues in sight. */
  readonly issues: readonly Issue[]
  /** The issue that a group was found again as. */
  readonly matched: ReadonlyMap<FindingGroup, Issue>
  readonly voicesOf: VoicesOf
}

export interface Stray {
  readonly issue: Issue
  /** Of one source. */
  readonly findings: readonly Finding[]
}

/** The smallest part that is never divided. */
export interface Unit {
  /** What it says, and where. */
  readonly said: PlacedClaim
  readonly voices: PlacedClaim[]
  readonly sources: ClaimSource[]
  readonly groups: FindingGroup[]
  readonly head: Issue | null
  readonly stray: Stray | null
}

export type PlacedClaim = Pick<
  Finding,
  'rule' | 'title' | 'description' | 'file' | 'line' | 'end_line' | 'fingerprint'
> &
  Partial<Pick<Finding, 'column'>>

export interface ClaimSource {
  readonly name: string
  /** A model words its answers anew, so that only those of one run are certainly different problems. */
  readonly run: string | null
}

const sourceOf = ({ source, review_id }: Finding): ClaimSource => ({
  name: source.name,
  run: source.kind === 'agent' ? review_id : null,
})

/** The claims of groups and issues, in the smallest parts that merging may put together anew. */
export function unitsOf({ groups, issues, matched, voicesOf }: UnitInput): readonly Unit[] {
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
