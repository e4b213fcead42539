import { isSettled, type Attempt, type AttemptAt } from '../../model/attempt/attempt.ts'
import { planBatches } from '../../model/session/batch.ts'
import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { SessionOptions } from '../../model/session/session.ts'
import { defaultBatch, effortOf, workloadOf } from '../plan.ts'

/** The issues that the next agent call is for, once everything before them is over: a batch, or with `single-call` all of them. */
export function nextBatch(
  attempts: readonly Attempt[],
  issues: ReadonlyMap<IssueId, Issue>,
  options: Pick<SessionOptions, 'strategy' | 'max_batch_points' | 'max_batch_issues'>,
): readonly AttemptAt<'queued'>[] {
  const queued = attempts.filter((attempt) => attempt.stage === 'queued')
  const isBusy = attempts.some(
    (attempt) => !isSettled(attempt) && !['queued', 'held', 'bundled'].includes(attempt.stage),
  )
  if (isBusy || queued.length === 0) return []
  const ordered = queued.toSorted((a, b) => a.position - b.position)
  if (options.strategy === 'single-call') return ordered
  const batched = ordered.flatMap(({ issue_id }) => {
    const issue = issues.get(issue_id)
    return issue ? [toBatched(issue)] : []
  })
  const limits = {
    maxPoints: options.max_batch_points ?? defaultBatch.maxPoints,
    maxIssues: options.max_batch_issues ?? defaultBatch.maxIssues,
  }
  const first = new Set(planBatches(batched, limits)[0]?.issues.map(({ issue_id }) => issue_id))
  return ordered.filter(({ issue_id }) => first.has(issue_id))
}

const toBatched = (issue: Issue) => ({
  issue_id: issue.id,
  code: issue.code,
  title: issue.title,
  file: issue.file,
  workload: workloadOf(issue),
  depends_on: issue.depends_on,
  class: issue.class,
  effort: effortOf(issue),
  // Parts of one large issue are told apart in the plan; one call works on all of them.
  files: [],
})
