import type { Outcome } from '../attempt/attempt.ts'
import type { IssueStatus } from '../issue/issue.ts'

export type Counted = 'fixed' | 'failed' | 'skipped'

/** What an outcome makes of the issue, and how it is counted. */
const table: Readonly<Record<Outcome, { status: IssueStatus; counted: Counted }>> = {
  fixed: { status: 'resolved', counted: 'fixed' },
  refused: { status: 'failed', counted: 'failed' },
  blocked: { status: 'failed', counted: 'failed' },
  needs_agent: { status: 'open', counted: 'skipped' },
  failed: { status: 'failed', counted: 'failed' },
  false_positive: { status: 'ignored', counted: 'skipped' },
  disputed: { status: 'open', counted: 'skipped' },
  held: { status: 'open', counted: 'skipped' },
  not_evaluated: { status: 'open', counted: 'skipped' },
  cancelled: { status: 'open', counted: 'skipped' },
  over_budget: { status: 'open', counted: 'skipped' },
  not_sent: { status: 'open', counted: 'skipped' },
  deleted: { status: 'open', counted: 'skipped' },
}

export const statusAfter = (outcome: Outcome): IssueStatus => table[outcome].status

export const countedAs = (outcome: Outcome): Counted => table[outcome].counted
