import { isSettled, waitingBehind, type Attempt, type AttemptAt } from '../../model/attempt/attempt.ts'
import { planBatches, type BatchedIssue } from '../../model/session/batch.ts'
import type { AttemptId, IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { SessionOptions } from '../../model/session/session.ts'
import { defaultBatch, effortOf, workloadOf } from '../plan.ts'

/** The issues that the next agent call is for, once everything before them is over: a batch, or with `single-call` all of them. */
export function nextBatch(
  attempts: readonly Attempt[],
  issues: ReadonlyMap<IssueId, Issue>,
  options: Pick<SessionOptions, 'strategy' | 'max_batch_points' | 'max_batch_issues'>,
): readonly AttemptAt<'queued'>[] {
  const waiting = waitingBehind(attempts, ['held', 'queued'])
  const isBusy = attempts.some(
    (attempt) => !isSettled(attempt) && attempt.stage !== 'bundled' && !waiting.has(attempt.id),
  )
  if (isBusy) return []
  const ready = readyForBatch(attempts)
  if (options.strategy === 'single-call') return ready
  const issueIdOf = new Map(ready.map(({ id, issue_id }) => [id, issue_id]))
  const batched = ready.flatMap(({ issue_id, after }) => {
    const issue = issues.get(issue_id)
    return issue
      ? [
          toBatched(
            issue,
            after.flatMap((id) => issueIdOf.get(id) ?? []),
          ),
        ]
      : []
  })
  const limits = {
    maxPoints: options.max_batch_points ?? defaultBatch.maxPoints,
    maxIssues: options.max_batch_issues ?? defaultBatch.maxIssues,
  }
  const first = new Set(planBatches(batched, limits)[0]?.issues.map(({ issue_id }) => issue_id))
  return ready.filter(({ issue_id }) => first.has(issue_id))
}

/** The queued issues, in plan order, that wait for queued ones only: their predecessors can share the batch. */
function readyForBatch(attempts: readonly Attempt[]): readonly AttemptAt<'queued'>[] {
  const over = new Set<AttemptId>(attempts.filter(isSettled).map(({ id }) => id))
  const ready: AttemptAt<'queued'>[] = []
  for (const attempt of attempts.toSorted((a, b) => a.position - b.position)) {
    if (attempt.stage !== 'queued' || !attempt.after.every((id) => over.has(id))) continue
    ready.push(attempt)
    over.add(attempt.id)
  }
  return ready
}

const toBatched = (issue: Issue, after: readonly IssueId[]): BatchedIssue => ({
  issue_id: issue.id,
  code: issue.code,
  title: issue.title,
  file: issue.file,
  workload: workloadOf(issue),
  depends_on: issue.depends_on,
  after,
  class: issue.class,
  effort: effortOf(issue),
  // Parts of one large issue are told apart in the plan; one call works on all of them.
  files: [],
})
