import type { Finding } from '../../model/issue/finding.ts'
import { createdAtMs, type IssueId, type SessionId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { TriagePlan, VoicesOf, MovedFinding, NewIssue } from '../ports.ts'
import { clusterFindings, type Cluster } from './clusters.ts'
import { groupIdentical, groupOf, joinGroups, type FindingGroup } from './matching/groups.ts'
import { type IssueOrigin, enrichIssue, issueFromGroup } from './issue-from-group.ts'
import { isOutOfSight, isJoinedAway, voicesIn } from './matching/known-claim.ts'
import { matchGroups, type OlderThanFix, type Matches } from './matching/match-groups.ts'
import { createLikeness } from './matching/words.ts'
import { joinIssues, withoutVoices } from './merge-issues.ts'

export interface TriageInput {
  /** Of one review, so of one tree. */
  readonly findings: readonly Finding[]
  readonly known: readonly Issue[]
  /** The findings that the known issues were merged of; without it they stay as they were merged. */
  readonly voicesOf?: VoicesOf
  readonly newIssue: IssueOrigin
  /** Whether the reviewed tree has a file; without it, only files that findings cite are known to be there. */
  readonly fileExists?: (path: string) => boolean
  /** Fixed issues whose fix is on no branch any more. */
  readonly discarded?: ReadonlySet<IssueId>
  /** Sessions whose fixes the reviewed tree cannot hold yet. */
  readonly ahead?: ReadonlySet<SessionId>
  /** When the report was made, where that is known. */
  readonly madeAtMs?: number | undefined
}

/** Decides which issue each finding is, and which issues are new: no finding is dropped, and no issue is raised twice. */
export function planTriage(input: TriageInput): TriagePlan {
  const { findings, known, fileExists, voicesOf = () => null } = input
  const likeness = createLikeness()
  const groups = groupIdentical(findings)
  const matches = matchGroups(groups, known, {
    likeness,
    voicesOf,
    fileExists: fileExists ?? citedFiles(findings),
    isOlder: olderThanFix(input),
  })
  const matched = matches.known
  const isFixed = (issue: Issue): boolean => isFinal(issue) || isOutOfSight(issue)
  const fixed = new Set(matched.values().filter(isFixed))
  const units = {
    groups: groups.filter((group) => !fixed.has(matched.get(group) as Issue)),
    issues: known.filter((issue) => !isFixed(issue)),
    matched,
    voicesOf,
  }
  const clusters = clusterFindings(units, likeness)
  const draft = new TriageDraft(input, matches)
  for (const [issue, ofIssue] of Map.groupBy(
    groups.filter((group) => fixed.has(matched.get(group) as Issue)),
    (group) => matched.get(group) as Issue,
  ))
    if (isFinal(issue)) draft.put(ofIssue, issue.id)
    else draft.seen(issue, ofIssue)
  for (const cluster of clusters) draft.release(cluster)
  for (const cluster of clusters) draft.storeCluster(cluster)
  return draft.plan()
}

const isFinal = ({ status }: Issue): boolean => status === 'merged'

/** A session makes its fixes after it began. */
const olderThanFix =
  ({ ahead, madeAtMs }: TriageInput) =>
  ({ fix_session_id: session }: Issue): OlderThanFix => {
    if (session === null) return null
    if (ahead?.has(session)) return 'tree'
    return madeAtMs !== undefined && madeAtMs < (createdAtMs(session) ?? 0) ? 'report' : null
  }

function citedFiles(findings: readonly Finding[]): (path: string) => boolean {
  const files = new Set(
    findings.filter((finding) => finding.anchor === 'exact').map((finding) => finding.file),
  )
  return (path) => files.has(path)
}

interface DraftInput {
  readonly newIssue: IssueOrigin
  readonly known: readonly Issue[]
  readonly discarded?: ReadonlySet<IssueId>
  readonly voicesOf?: VoicesOf
}

/** Collects what is new and what changes. */
class TriageDraft {
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

  /** The findings belong to an issue, and change nothing about it. */
  put(groups: readonly FindingGroup[], id: IssueId): void {
    for (const { positions } of groups) for (const position of positions) this.issueOf[position] = id
  }

  /** An issue is raised again. */
  seen(issue: Issue, groups: readonly FindingGroup[]): void {
    this.put(groups, issue.id)
    this.enrich(issue, joinGroups(groups))
  }

  /** Claims that are no longer an issue's own leave it before anything joins it. */
  release({ issues, strays }: Cluster): void {
    for (const { issue, findings } of strays)
      if (!issues.includes(issue)) this.now.set(issue.id, withoutVoices(this.current(issue), findings))
  }

  /** The oldest issue of a problem stays; the others become its duplicates. */
  storeCluster(cluster: Cluster): void {
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

  /** The issue as it was decides who leads: a claim that joins now leads nothing. */
  private enrich(issue: Issue, group: FindingGroup): void {
    const { newIssue, discarded, voicesOf = () => null } = this.input
    const [only, ...others] = issue.flagged_by
    const voices = others.length === 0 ? [] : voicesIn(issue, voicesOf)
    const lead = others.length === 0 ? only : voices[0]?.source.name
    const known = this.now.get(issue.id)
    const seen = { now: newIssue.now, discarded, lead, ...(known === undefined && { voices }) }
    this.now.set(issue.id, enrichIssue(known ?? issue, group, seen))
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
