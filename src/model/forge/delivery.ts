import { z } from 'zod'
import { weakExcuse } from '../attempt/after-agent.ts'
import { isSettled, Outcome, type Attempt } from '../attempt/attempt.ts'
import { spentOn } from '../attempt/spending.ts'
import { CommitId } from '../id.ts'
import type { Issue } from '../issue/issue.ts'
import { Severity } from '../issue/severity.ts'
import { EvidenceGrade } from '../proof/evidence.ts'
import { spentInSession } from '../session/spent-in-session.ts'
import type { Session } from '../session/session.ts'

const shortText = z.string().max(20_000)

/** What became of one issue in a session, as far as others are told. */
export const DeliveredIssue = z.object({
  code: z.string().regex(/^[A-Z]{1,5}-\d{1,9}$/),
  title: shortText,
  description: shortText,
  severity: Severity,
  category: shortText,
  rule: shortText.nullable(),
  file: shortText.nullable(),
  line: z.number().int().nullable(),
  fingerprint: z.string().max(200),
  /** Where it was reported, such as a thread of a pull request. */
  references: z.array(shortText).max(50).readonly(),
  /** Null while it waits for a person. */
  outcome: Outcome.nullable(),
  reason: shortText.nullable(),
  changes: shortText.nullable(),
  explanation: shortText.nullable(),
  weak_excuse: shortText.nullable(),
  commit_sha: CommitId.nullable(),
  evidence: EvidenceGrade.nullable(),
  score: z.number().nullable(),
  rounds: z.number().int(),
  cost_usd: z.number(),
})
export type DeliveredIssue = z.infer<typeof DeliveredIssue>

/** A session's work, ready to leave this machine. */
export const Delivery = z.object({
  schema: z.literal('fixpoint.bundle.v1'),
  session_id: z.string().max(100),
  branch: z.string().min(1).max(500),
  /** The branch that it started from, without `refs/heads/`; null when it was none. */
  base_branch: z.string().max(500).nullable(),
  base_commit: CommitId,
  tip_commit: CommitId,
  cost_usd: z.number(),
  issues: z.array(DeliveredIssue).max(10_000).readonly(),
})
export type Delivery = z.infer<typeof Delivery>

/** Null when the session made no branch: there is nothing to deliver. */
export function deliveryOf(
  session: Session,
  attempts: readonly Attempt[],
  issues: readonly Issue[],
): Delivery | null {
  if (!session.branch_made || session.branch === null) return null
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  return {
    schema: 'fixpoint.bundle.v1',
    session_id: session.id,
    branch: session.branch,
    base_branch: /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(session.base_branch ?? '')?.[1] ?? null,
    base_commit: session.base.commit,
    tip_commit: session.tip.commit,
    cost_usd: spentInSession(session, attempts).usd,
    issues: attempts
      .toSorted((a, b) => a.position - b.position)
      .flatMap((attempt) => {
        const issue = issueOf.get(attempt.issue_id)
        return issue ? [deliveredIssue(attempt, issue)] : []
      }),
  }
}

export function deliveredIssue(attempt: Attempt, issue: Issue): DeliveredIssue {
  const settled = isSettled(attempt) ? attempt : null
  const last = attempt.rounds.at(-1)
  const explanation = last?.report?.explanation ?? null
  const isFixed = settled?.outcome === 'fixed'
  return {
    ...describedIssue(issue),
    outcome: settled?.outcome ?? (attempt.stage === 'held' ? 'held' : null),
    reason: cut(settled?.reason ?? (attempt.stage === 'held' ? attempt.question.reason : null)),
    changes: isFixed ? cut(last?.report?.changes_summary ?? null) : null,
    explanation: cut(explanation),
    weak_excuse: isFixed || explanation === null ? null : weakExcuse(explanation),
    commit_sha: settled?.commit_sha ?? null,
    evidence: settled?.evidence ?? null,
    score: last?.challenge?.score ?? null,
    rounds: attempt.rounds.length,
    cost_usd: spentOn(attempt).usd,
  }
}

/** What an issue says of itself. */
const describedIssue = (issue: Issue) => ({
  code: issue.code,
  title: cut(issue.title) ?? '',
  description: cut(issue.description) ?? '',
  severity: issue.severity,
  category: issue.category,
  rule: issue.rule,
  file: issue.file,
  line: issue.line,
  fingerprint: issue.fingerprint,
  references: issue.references.slice(0, 50),
})

const mostKept = 4_000
const cut = (text: string | null): string | null =>
  text === null || text.length <= mostKept ? text : `${text.slice(0, mostKept)}…`
