import type { Finding } from '../model/finding.ts'
import type { IssueId } from '../model/id.ts'
import type { Issue } from '../model/issue.ts'
import type { NewIssue, TriagePlan } from './ports.ts'
import { groupFindings, type FindingGroup } from './triage-groups.ts'
import { enrichIssue, issueFromGroup, type IssueOrigin } from './triage-issue.ts'
import { matchGroups } from './triage-matching.ts'
import { createTitleComparison } from './triage-title.ts'

export interface TriageInput {
  /** Of one review, so of one tree. */
  readonly findings: readonly Finding[]
  readonly known: readonly Issue[]
  readonly newIssue: IssueOrigin
  /** Whether the reviewed tree has a file; without it, only files that findings cite are known to be there. */
  readonly fileExists?: (path: string) => boolean
}

/** Decides which issue each finding is, and which issues are new: nothing is dropped, nothing is raised twice. */
export function planTriage({ findings, known, newIssue, fileExists }: TriageInput): TriagePlan {
  const isSameTitle = createTitleComparison()
  const groups = inReportOrder(findings, groupFindings(findings, isSameTitle))
  const exists = fileExists ?? citedFiles(findings)
  const matches = matchGroups(groups.ordered, known, { isSameTitle, fileExists: exists })
  const created: NewIssue[] = []
  const changed: Issue[] = []
  const idOf = new Map<FindingGroup, IssueId>()
  for (const group of groups.ordered) {
    const issue = matches.known.get(group)
    if (issue === undefined) {
      created.push(issueFromGroup(group, newIssue, matches.regressions.get(group)?.id ?? null))
    } else {
      const enriched = enrichIssue(issue, group, newIssue.now)
      if (enriched !== issue) changed.push(enriched)
    }
    idOf.set(group, issue?.id ?? (created.at(-1) as NewIssue).id)
  }
  return { created, changed, issueOf: groups.ofFinding.map((group) => idOf.get(group) as IssueId) }
}

/** Codes are given in the order of the report. */
function inReportOrder(findings: readonly Finding[], groups: readonly FindingGroup[]) {
  const groupOf = new Map<Finding, FindingGroup>()
  for (const group of groups) for (const member of group.members) groupOf.set(member, group)
  const ofFinding = findings.map((finding) => groupOf.get(finding) as FindingGroup)
  return { ofFinding, ordered: [...new Set(ofFinding)] }
}

function citedFiles(findings: readonly Finding[]): (path: string) => boolean {
  const files = new Set(findings.filter((finding) => finding.anchor === 'exact').map((finding) => finding.file))
  return (path) => files.has(path)
}
