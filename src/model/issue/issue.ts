import { z } from 'zod'
import { Conversation } from './conversation.ts'
import { Fault } from '../fault.ts'
import { Anchor } from './finding.ts'
import { EvidenceGrade } from '../proof/evidence.ts'
import { CommitId, IssueId, RepositoryId, ReviewId, SessionId } from '../id.ts'
import { Severity } from './severity.ts'

export const IssueStatus = z.enum([
  'open',
  'in_progress',
  'resolved',
  'merged',
  'failed',
  'ignored',
  'duplicate',
])
export type IssueStatus = z.infer<typeof IssueStatus>

/** The statuses of an issue that still stands in the code, as far as is known. */
export const unresolvedStatuses = ['open', 'in_progress', 'failed'] as const satisfies readonly IssueStatus[]

export const isUnresolved = ({ status }: { readonly status: IssueStatus }): boolean =>
  unresolvedStatuses.some((one) => one === status)

export const IssueClass = z.enum(['BE', 'FE', 'GEN'])
export type IssueClass = z.infer<typeof IssueClass>

/** One question that was put about an issue, with its answer. */
export const Clarification = z.object({
  id: z.string(),
  question: z.string(),
  context: z.string().nullable(),
  options: z.array(z.string()).readonly().optional(),
  /** What the fixer would work with if nobody answered. */
  assumption: z.string().nullable().optional(),
  answer: z.string().nullable(),
  assumed: z.boolean(),
})
export type Clarification = z.infer<typeof Clarification>

/** The approach a planner wrote for one issue. */
export const IssuePlan = z.object({
  approach: z.string(),
  steps: z.array(z.string()).readonly(),
  /** The files that it expects to change. */
  files: z.array(z.string()).readonly().optional(),
  risks: z.array(z.string()).readonly(),
  verification: z.string().nullable(),
})
export type IssuePlan = z.infer<typeof IssuePlan>

/** One tracked problem, merged from one or more findings. */
export const Issue = z.object({
  id: IssueId,
  code: z.string(),
  class: IssueClass,
  repository_id: RepositoryId,
  task_id: ReviewId.nullable(),
  fingerprint: z.string(),
  title: z.string(),
  description: z.string(),
  severity: Severity,
  severity_note: z.string().nullable(),
  category: z.string(),
  /** The topic that the reviewer put it under, with other findings of its answer. */
  group: z.string().nullish(),
  priority: z.number(),
  rule: z.string().nullable(),
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  end_line: z.number().int().nullable(),
  column: z.number().int().positive().optional(),
  /** How its sources know it again: their own fingerprints and ids. */
  marks: z.array(z.string()).readonly().optional(),
  current_code: z.string().nullable(),
  suggested_fix: z.string().nullable(),
  references: z.array(z.string()).readonly(),
  flagged_by: z.array(z.string()).readonly(),
  estimated_effort: z.number().int().min(1).max(5).nullable(),
  estimated_files_count: z.number().int().min(1).nullable(),
  status: IssueStatus,
  resolution_note: z.string().nullable(),
  clarifications: z.array(Clarification).readonly(),
  plan: IssuePlan.nullable(),
  /** Where the fixer asked about it or planned it, before there was a session. */
  conversation: Conversation.optional(),
  fix_code: z.string().max(500).nullable(),
  fix_explanation: z.string().nullable(),
  fix_files_modified: z.array(z.string()).readonly(),
  fix_commit_sha: CommitId.nullable(),
  fix_branch: z.string().nullable(),
  fix_session_id: SessionId.nullable(),
  fix_self_score: z.number().nullable(),
  fix_challenger_score: z.number().nullable(),
  evidence: z.union([EvidenceGrade, z.literal('manual')]).nullable(),
  duplicate_of: IssueId.nullable(),
  regression_of: IssueId.nullable(),
  /** The session after which it was found in a line that the fixes themselves had written. */
  induced_by: SessionId.optional(),
  depends_on: z.array(IssueId).readonly(),
  ignored: z.object({ reason: z.string(), until: z.string().nullable() }).nullable(),
  anchor: Anchor,
  /** Since when the tools that raised it look at its file and raise it no longer. */
  absent_since: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Issue = z.infer<typeof Issue>

/** `engine` is a fixing session; `person` is anyone at a command line, page or API. */
export type Actor = 'engine' | 'person'

const transitions: Readonly<Record<IssueStatus, Readonly<Partial<Record<IssueStatus, readonly Actor[]>>>>> = {
  open: {
    in_progress: ['engine'],
    ignored: ['person', 'engine'],
    duplicate: ['person', 'engine'],
    resolved: ['person'],
  },
  in_progress: { resolved: ['engine'], failed: ['engine'], open: ['engine'], ignored: ['engine'] },
  failed: {
    open: ['person', 'engine'],
    in_progress: ['engine'],
    ignored: ['person'],
    duplicate: ['person'],
    resolved: ['person'],
  },
  ignored: { open: ['person', 'engine'] },
  duplicate: { open: ['person', 'engine'] },
  resolved: { merged: ['engine', 'person'], open: ['person', 'engine'] },
  merged: {},
}

/** The statuses that an issue may go to next. */
export const allowedTransitions = (from: IssueStatus, actor: Actor): readonly IssueStatus[] =>
  IssueStatus.options.filter((to) => transitions[from][to]?.includes(actor))

/** Moves an issue, or refuses with the list of moves that are allowed. */
export function moveIssue(issue: Issue, to: IssueStatus, actor: Actor): Issue {
  const allowed = allowedTransitions(issue.status, actor)
  if (allowed.includes(to)) return { ...issue, status: to }
  const moves = allowed.length > 0 ? allowed.join(', ') : 'nothing: this status is final'
  throw new Fault('transition_refused', `${issue.code} is ${issue.status} and cannot become ${to}`, {
    hint: `From ${issue.status} it can become ${moves}.`,
    details: { code: issue.code, from: issue.status, to, allowed },
  })
}

export const formatCode = (issueClass: IssueClass, number: number): string =>
  `${issueClass}-${String(number).padStart(3, '0')}`

const severityBase: Readonly<Record<Severity, number>> = { critical: 80, major: 60, minor: 35, info: 10 }
const categoryWeights: readonly (readonly [RegExp, number])[] = [
  [/secur|vulnerab|injection|crypto|auth/i, 1.2],
  [/correct|bug|reliab|data/i, 1.1],
  [/style|format|naming|doc/i, 0.8],
]

/** 0–100 for ordering: severity × category weight (security first) + agreement between sources. */
export function priorityOf(issue: Pick<Issue, 'severity' | 'category' | 'flagged_by'>): number {
  const weight = categoryWeights.find(([pattern]) => pattern.test(issue.category))?.[1] ?? 1
  const agreement = Math.max(0, issue.flagged_by.length - 1) * 5
  return Math.min(100, Math.round(severityBase[issue.severity] * weight + agreement))
}
