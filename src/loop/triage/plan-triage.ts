import type { Finding } from '../../model/issue/finding.ts'
import { createdAtMs, type IssueId, type SessionId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { TriagePlan, VoicesOf } from '../ports.ts'
import { clusterFindings } from './clusters.ts'
import { groupIdentical } from './matching/groups.ts'
import type { IssueOrigin } from './issue-from-group.ts'
import { isOutOfSight } from './matching/known-claim.ts'
import { matchGroups, type OlderThanFix } from './matching/match-groups.ts'
import { createLikeness } from './matching/words.ts'
import { TriageDraft } from './triage-draft.ts'

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
  /** Sessions whose fixes the reviewed tree cannot hold yet. */
  readonly ahead?: ReadonlySet<SessionId>
  /** When the report was made, where that is known. */
  readonly madeAtMs?: number | undefined
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
    isOlder: olderThanFix(input),
  })
  const matched = matches.known
  const isFixed = (issue: Issue): boolean => isFinal(issue) || isOutOfSight(issue)
  const fixed = new Set(matched.values().filter(isFixed))
  const clusters = clusterFindings({
    groups: groups.filter((group) => !fixed.has(matched.get(group) as Issue)),
    issues: known.filter((issue) => !isFixed(issue)),
    matched,
    voicesOf,
    likeness,
  })
  const draft = new TriageDraft(input, matches)
  for (const [issue, ofIssue] of Map.groupBy(
    groups.filter((group) => fixed.has(matched.get(group) as Issue)),
    (group) => matched.get(group) as Issue,
  ))
    if (isFinal(issue)) draft.put(ofIssue, issue.id)
    else draft.seen(issue, ofIssue)
  for (const cluster of clusters) draft.release(cluster)
  for (const cluster of clusters) draft.settle(cluster)
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
