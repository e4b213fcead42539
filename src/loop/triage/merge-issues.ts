import type { Finding } from '../../model/issue/finding.ts'
import { moveIssue, priorityOf, type Issue } from '../../model/issue/issue.ts'
import { highestSeverity } from '../../model/issue/severity.ts'
import { voiceText } from './issue-description.ts'
import { isJoinedAway, joinedNote } from './matching/known-claim.ts'

/** Whether nobody has done anything with an issue, so that what it was merged of may still change. */
export const isFluid = (issue: Issue): boolean =>
  (issue.status === 'open' || isJoinedAway(issue)) &&
  issue.plan === null &&
  issue.fix_session_id === null &&
  issue.clarifications.length === 0 &&
  issue.depends_on.length === 0 &&
  issue.regression_of === null

/** The issues that are one problem: the first one gets all claims, the others become its duplicates unless somebody works on them. */
export function joinIssues(first: Issue, others: readonly Issue[], now: string): readonly Issue[] {
  const kept = isJoinedAway(first) ? reopen(first, now) : first
  const away = others.filter(isFluid)
  if (away.length === 0) return kept === first ? [] : [kept]
  const changed = away.filter(({ duplicate_of }) => duplicate_of !== kept.id)
  return [
    withAll(kept, away, now),
    ...changed.map((issue) => ({
      ...(issue.status === 'duplicate' ? issue : moveIssue(issue, 'duplicate', 'engine')),
      duplicate_of: kept.id,
      resolution_note: `${joinedNote}${kept.code}, told by another source`,
      updated_at: now,
    })),
  ]
}

const reopen = (issue: Issue, now: string): Issue => ({
  ...moveIssue(issue, 'open', 'engine'),
  duplicate_of: null,
  resolution_note: null,
  updated_at: now,
})

function withAll(first: Issue, away: readonly Issue[], now: string): Issue {
  const flagged_by = [...new Set([...first.flagged_by, ...away.flatMap((issue) => issue.flagged_by)])]
  const severity = away.reduce((highest, issue) => highestSeverity(highest, issue.severity), first.severity)
  if (flagged_by.length === first.flagged_by.length && severity === first.severity) return first
  const priority = priorityOf({ severity, category: first.category, flagged_by })
  return { ...first, flagged_by, severity, priority, updated_at: now }
}

/** An issue without the claim of one source, which turned out to be another problem. */
export function withoutVoices(issue: Issue, gone: readonly Finding[]): Issue {
  const names = new Set(gone.map(({ source }) => source.name))
  const flagged_by = issue.flagged_by.filter((name) => !names.has(name))
  const description = gone.reduce(
    (text, voice) => text.replace(`\n\n${voiceText(voice)}`, () => ''),
    issue.description,
  )
  return { ...issue, flagged_by, description }
}
