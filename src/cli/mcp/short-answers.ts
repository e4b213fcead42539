import { isSettled, type Attempt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { StoredSession } from '../../loop/ports.ts'
import type { PlanStep } from '../../model/session/plan.ts'
import { pageFrom } from './page.ts'

/** What a model needs to choose: one short row for each issue. */
export const issueLine = ({ code, title, severity, category, status, file, line }: Issue) => ({
  code,
  title: shorten(title, 150),
  severity,
  category,
  status,
  place: file === null ? null : line === null ? file : `${file}:${line}`,
})

/** Everything about one issue, with long texts cut openly. */
export const wholeIssue = (issue: Issue, attempts: readonly Attempt[]) => ({
  ...issueLine(issue),
  description: shorten(issue.description, 4_000),
  rule: issue.rule,
  flagged_by: issue.flagged_by,
  current_code: issue.current_code === null ? null : shorten(issue.current_code, 2_000),
  suggested_fix: issue.suggested_fix === null ? null : shorten(issue.suggested_fix, 2_000),
  resolution_note: issue.resolution_note,
  evidence: issue.evidence,
  fix_commit_sha: issue.fix_commit_sha,
  clarifications: issue.clarifications,
  attempts: attempts.map(attemptLine),
})

/** A session without its rounds, outputs and diffs; its issues a page at a time. */
export function sessionLine(
  { session, attempts }: StoredSession,
  issues: readonly Issue[],
  page: { readonly limit: number; readonly cursor?: string | undefined },
) {
  const { items, next_cursor } = pageFrom(attempts, page)
  const titles = new Map(issues.map(({ id, title }) => [id, title]))
  return {
    session_id: session.id,
    status: session.status,
    reason: session.reason,
    branch: session.branch_made ? session.branch : null,
    outcomes: countsOf(attempts),
    issues: items.map((attempt) => ({
      ...attemptLine(attempt),
      code: attempt.issue_code,
      title: shorten(titles.get(attempt.issue_id) ?? '', 150),
    })),
    next_cursor,
  }
}

/** How many issues ended how; those that have not ended by their stage. */
function countsOf(attempts: readonly Attempt[]): Readonly<Record<string, number>> {
  const ends = attempts.map((attempt) => (isSettled(attempt) ? attempt.outcome : attempt.stage))
  return Object.fromEntries([...Map.groupBy(ends, (end) => end)].map(([end, all]) => [end, all.length]))
}

/** The issues of one step. */
export const plannedLines = ({ step, issues }: PlanStep) =>
  issues.map(({ code, title, file, workload }) => ({
    step,
    code,
    title: shorten(title, 150),
    file,
    workload,
  }))

const attemptLine = (attempt: Attempt) => ({
  stage: attempt.stage,
  outcome: isSettled(attempt) ? attempt.outcome : null,
  reason: isSettled(attempt)
    ? shorten(attempt.reason, 500)
    : attempt.stage === 'held'
      ? shorten(attempt.question.reason, 500)
      : null,
  rounds: attempt.rounds.length,
  commit_sha: isSettled(attempt) ? attempt.commit_sha : null,
  evidence: isSettled(attempt) ? attempt.evidence : null,
})

const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} characters more)`
