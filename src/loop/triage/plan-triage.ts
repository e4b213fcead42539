import type { Finding } from '../../model/issue/finding.ts'
import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { MovedFinding, NewIssue, TriagePlan, VoicesOf } from '../ports.ts'
import { clusterFindings, type Cluster } from './clusters.ts'
import { groupIdentical, groupOf, joinGroups, type FindingGroup } from './matching/groups.ts'
import { enrichIssue, issueFromGroup, type IssueOrigin } from './issue-from-group.ts'
import { isOutOfSight } from './matching/known-claim.ts'
import { matchGroups, type Matches } from './matching/match-groups.ts'
import { createLikeness } from './matching/words.ts'
import { isMergedAway, mergeAway, withoutVoices } from './merge-issues.ts'

export interface TriageInput {
  /** Of one review, so of one tree. */
  readonly findings: readonly Finding[]
  readonly known: readonly Issue[]
  /** What the known issues were merged of; without it they stay as they were merged. */
  readonly voicesOf?: VoicesOf
  readonly newIssue: IssueOrigin
  /** Whether the reviewed tree has a file; without it, only files that findings cite are known to be there. */
  readonly fileExists?: (path: string) => boolean
  /** Fixed issues whose fix is on no branch any more. */
  readonly discarded?: ReadonlySet<IssueId>
}

/** Decides which issue each finding is, and which issues are new: nothing is dropped, nothing is raised twice. */
export function planTriage(input: TriageInput): TriagePlan {
  const { findings, known, fileExists, voicesOf = () => null } = input
  const likeness = createLikeness()
  const groups = groupIdentical(findings)
  const matches = matchGroups(groups, known, {
    likeness,
    voicesOf,
    fileExists: fileExists ?? citedFiles(findings),
  })
  const matched = matches.known
  const fixed = new Set(matched.values().filter((issue) => isOutOfSight(issue) && !isMergedAway(issue)))
  const clusters = clusterFindings({
    groups: groups.filter((group) => !fixed.has(matched.get(group) as Issue)),
    issues: known.filter(
      (issue) => isMergedAway(issue) || (issue.status !== 'merged' && !isOutOfSight(issue)),
    ),
    matched,
    voicesOf,
    likeness,
  })
  const draft = createDraft(input, matches)
  for (const [issue, ofIssue] of Map.groupBy(
    groups.filter((group) => fixed.has(matched.get(group) as Issue)),
    (group) => matched.get(group) as Issue,
  ))
    draft.seen(issue, ofIssue)
  for (const cluster of clusters) draft.release(cluster)
  for (const cluster of clusters) draft.settle(cluster)
  return draft.plan()
}

/** Collects what is new and what changes. */
function createDraft({ newIssue, discarded, known }: TriageInput, matches: Matches) {
  const created: NewIssue[] = []
  const now = new Map<IssueId, Issue>()
  const moved: MovedFinding[] = []
  const issueOf: IssueId[] = []
  const put = (groups: readonly FindingGroup[], id: IssueId) => {
    for (const { positions } of groups) for (const position of positions) issueOf[position] = id
  }
  const current = (issue: Issue): Issue => now.get(issue.id) ?? issue

  function seen(issue: Issue, groups: readonly FindingGroup[]): void {
    put(groups, issue.id)
    const enriched = enrichIssue(current(issue), joinGroups(groups), { now: newIssue.now, discarded })
    now.set(issue.id, enriched)
  }

  function create({ groups, strays }: Cluster): void {
    const told = strays.flatMap(({ findings }) => findings)
    const parts = told.length > 0 ? [...groups, groupOf(told, [])] : groups
    const regression = groups.map((group) => matches.regressions.get(group)).find((issue) => issue) ?? null
    const undecided = groups.flatMap((group) => matches.undecided.get(group) ?? [])
    const added = issueFromGroup(joinGroups(parts), newIssue, {
      regressionOf: regression?.id ?? null,
      undecided,
    })
    created.push(added)
    put(groups, added.id)
    move(strays, added.id)
  }

  /** Before anything joins an issue, what is no longer its own leaves it. */
  function release({ issues, strays }: Cluster): void {
    for (const { issue, findings } of strays)
      if (!issues.includes(issue)) now.set(issue.id, withoutVoices(current(issue), findings))
  }

  function move(strays: Cluster['strays'], to: IssueId): void {
    for (const { issue, findings } of strays)
      for (const { id } of findings) moved.push({ finding: id, from: issue.id, to })
  }

  /** The oldest issue of a problem stays; what was told of it apart from it becomes its duplicate. */
  function settle(cluster: Cluster): void {
    const [first, ...others] = cluster.issues.toSorted(
      (a, b) => Number(isMergedAway(a)) - Number(isMergedAway(b)) || (a.id < b.id ? -1 : 1),
    )
    if (first === undefined) {
      if (cluster.groups.length + cluster.strays.length > 0) create(cluster)
      return
    }
    const homeOf = (group: FindingGroup): Issue => matches.known.get(group) ?? first
    if (cluster.groups.length > 0)
      for (const [issue, groups] of Map.groupBy(cluster.groups, homeOf)) seen(issue, groups)
    const strays = cluster.strays.filter(({ issue }) => !cluster.issues.includes(issue))
    move(strays, first.id)
    for (const { findings } of strays)
      now.set(first.id, enrichIssue(current(first), groupOf(findings, []), { now: newIssue.now }))
    const merged = mergeAway(current(first), others.map(current), newIssue.now)
    for (const issue of merged) now.set(issue.id, issue)
  }

  const wasKnown = new Map(known.map((issue) => [issue.id, issue]))
  return {
    seen,
    release,
    settle,
    plan: (): TriagePlan => ({
      created,
      changed: [...now.values()].filter((issue) => issue !== wasKnown.get(issue.id)),
      issueOf,
      ...(moved.length > 0 && { moved }),
    }),
  }
}

function citedFiles(findings: readonly Finding[]): (path: string) => boolean {
  const files = new Set(
    findings.filter((finding) => finding.anchor === 'exact').map((finding) => finding.file),
  )
  return (path) => files.has(path)
}
