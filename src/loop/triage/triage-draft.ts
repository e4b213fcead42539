import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { MovedFinding, NewIssue, TriagePlan, VoicesOf } from '../ports.ts'
import type { Cluster } from './clusters.ts'
import { enrichIssue, issueFromGroup, type IssueOrigin } from './issue-from-group.ts'
import { groupOf, joinGroups, type FindingGroup } from './matching/groups.ts'
import type { Matches } from './matching/match-groups.ts'
import { isJoinedAway, voicesIn } from './matching/known-claim.ts'
import { joinIssues, withoutVoices } from './merge-issues.ts'

export interface DraftInput {
  readonly newIssue: IssueOrigin
  readonly known: readonly Issue[]
  readonly discarded?: ReadonlySet<IssueId>
  readonly voicesOf?: VoicesOf
}

/** Collects what is new and what changes. */
export class TriageDraft {
  private readonly input: DraftInput
  private readonly matches: Matches
  private readonly created: NewIssue[] = []
  private readonly now = new Map<IssueId, Issue>()
  private readonly moved: MovedFinding[] = []
  private readonly issueOf: IssueId[] = []

  constructor(input: DraftInput, matches: Matches) {
    this.input = input
    this.matches = matches
  }

  /** What is told belongs to an issue, and changes nothing about it. */
  put(groups: readonly FindingGroup[], id: IssueId): void {
    for (const { positions } of groups) for (const position of positions) this.issueOf[position] = id
  }

  /** An issue is told of again. */
  seen(issue: Issue, groups: readonly FindingGroup[]): void {
    this.put(groups, issue.id)
    this.enrich(issue, joinGroups(groups))
  }

  /** Before anything joins an issue, what is no longer its own leaves it. */
  release({ issues, strays }: Cluster): void {
    for (const { issue, findings } of strays)
      if (!issues.includes(issue)) this.now.set(issue.id, withoutVoices(this.current(issue), findings))
  }

  /** The oldest issue of a problem stays; what was told of it apart from it becomes its duplicate. */
  settle(cluster: Cluster): void {
    const [first, ...others] = cluster.issues.toSorted(
      (a, b) => Number(isJoinedAway(a)) - Number(isJoinedAway(b)) || (a.id < b.id ? -1 : 1),
    )
    if (first === undefined) {
      if (cluster.groups.length + cluster.strays.length > 0) this.create(cluster)
      return
    }
    const homeOf = (group: FindingGroup): Issue => this.matches.known.get(group) ?? first
    if (cluster.groups.length > 0)
      for (const [issue, groups] of Map.groupBy(cluster.groups, homeOf)) this.seen(issue, groups)
    const strays = cluster.strays.filter(({ issue }) => !cluster.issues.includes(issue))
    this.move(strays, first.id)
    for (const { findings } of strays) this.enrich(first, groupOf(findings, []))
    const merged = joinIssues(
      this.current(first),
      others.map((issue) => this.current(issue)),
      this.input.newIssue.now,
    )
    for (const issue of merged) this.now.set(issue.id, issue)
  }

  plan(): TriagePlan {
    const { created, moved, issueOf } = this
    const before = new Map(this.input.known.map((issue) => [issue.id, issue]))
    const changed = [...this.now.values()].filter((issue) => issue !== before.get(issue.id))
    return { created, changed, issueOf, ...(moved.length > 0 && { moved }) }
  }

  private current(issue: Issue): Issue {
    return this.now.get(issue.id) ?? issue
  }

  /** Who leads is asked of the issue as it was: what joins it now leads nothing. */
  private enrich(issue: Issue, group: FindingGroup): void {
    const { newIssue, discarded, voicesOf = () => null } = this.input
    const [only, ...others] = issue.flagged_by
    const lead = others.length === 0 ? only : voicesIn(issue, voicesOf)[0]?.source.name
    const seen = { now: newIssue.now, discarded, lead }
    this.now.set(issue.id, enrichIssue(this.current(issue), group, seen))
  }

  private create({ groups, strays }: Cluster): void {
    const told = strays.flatMap(({ findings }) => findings)
    const parts = told.length > 0 ? [...groups, groupOf(told, [])] : groups
    const { regressions, undecided } = this.matches
    const regression = groups.map((group) => regressions.get(group)).find((issue) => issue)
    const added = issueFromGroup(joinGroups(parts), this.input.newIssue, {
      regressionOf: regression?.id ?? null,
      undecided: groups.flatMap((group) => undecided.get(group) ?? []),
    })
    this.created.push(added)
    this.put(groups, added.id)
    this.move(strays, added.id)
  }

  private move(strays: Cluster['strays'], to: IssueId): void {
    for (const { issue, findings } of strays)
      for (const { id } of findings) this.moved.push({ finding: id, from: issue.id, to })
  }
}
