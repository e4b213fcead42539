import { isSettled, type Attempt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { StoredSession } from '../../loop/ports.ts'

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

/** A session without its rounds, outputs and diffs. */
export const sessionLine = ({ session, attempts }: StoredSession, issues: readonly Issue[]) => ({
  session_id: session.id,
  status: session.status,
  reason: session.reason,
  branch: session.branch_made ? session.branch : null,
  issues: attempts.map((attempt) => ({
    ...attemptLine(attempt),
    code: attempt.issue_code,
    title: shorten(issues.find(({ id }) => id === attempt.issue_id)?.title ?? '', 150),
  })),
})

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
