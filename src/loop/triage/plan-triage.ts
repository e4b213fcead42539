import type { Finding } from '../../model/issue/finding.ts'
import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { NewIssue, TriagePlan } from '../ports.ts'
import { groupFindings } from './groups.ts'
import { enrichIssue, issueFromGroup, type IssueOrigin } from './issue-from-group.ts'
import { matchGroups } from './match-groups.ts'
import { createTitleComparison } from './title.ts'

export interface TriageInput {
  /** Of one review, so of one tree. */
  readonly findings: readonly Finding[]
  readonly known: readonly Issue[]
  readonly newIssue: IssueOrigin
  /** Whether the reviewed tree has a file; without it, only files that findings cite are known to be there. */
  readonly fileExists?: (path: string) => boolean
  /** Fixed issues whose fix is on no branch any more. */
  readonly discarded?: ReadonlySet<IssueId>
}

/** Decides which issue each finding is, and which issues are new: nothing is dropped, nothing is raised twice. */
export function planTriage({ findings, known, newIssue, fileExists, discarded }: TriageInput): TriagePlan {
  const isSameTitle = createTitleComparison()
  const groups = groupFindings(findings, isSameTitle)
  const matches = matchGroups(groups, known, { isSameTitle, fileExists: fileExists ?? citedFiles(findings) })
  const created: NewIssue[] = []
  const changed: Issue[] = []
  const issueOf: IssueId[] = []
  for (const group of groups) {
    const issue = matches.known.get(group)
    const enriched = issue && enrichIssue(issue, group, { now: newIssue.now, discarded })
    const added = enriched
      ? null
      : issueFromGroup(group, newIssue, matches.regressions.get(group)?.id ?? null)
    if (added) created.push(added)
    else if (enriched && enriched !== issue) changed.push(enriched)
    for (const position of group.positions) issueOf[position] = (added ?? (enriched as Issue)).id
  }
  return { created, changed, issueOf }
}

function citedFiles(findings: readonly Finding[]): (path: string) => boolean {
  const files = new Set(
    findings.filter((finding) => finding.anchor === 'exact').map((finding) => finding.file),
  )
  return (path) => files.has(path)
}
