import { isSettled, waitingBehind, type Attempt, type AttemptAt } from '../../model/attempt/attempt.ts'
import { planBatches, type BatchedIssue } from '../../model/session/batch.ts'
import type { AttemptId, IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { SessionOptions } from '../../model/session/session.ts'
import { defaultBatch, effortOf, workloadOf } from '../plan.ts'

type BatchOptions = Pick<SessionOptions, 'strategy' | 'max_batch_points' | 'max_batch_issues'>

/** The issues that the next agent call is for, once everything before them is over: a batch, or with `single-call` all of them. */
export function nextBatch(
  attempts: readonly Attempt[],
  issues: ReadonlyMap<IssueId, Issue>,
  options: BatchOptions,
): readonly AttemptAt<'queued'>[] {
  const waiting = waitingBehind(attempts, ['held', 'queued'])
  const isBusy = attempts.some(
    (attempt) => !isSettled(attempt) && attempt.stage !== 'bundled' && !waiting.has(attempt.id),
  )
  if (isBusy) return []
  const ready = readyForBatch(attempts)
  const issueIdOf = new Map(ready.map(({ id, issue_id }) => [id, issue_id]))
  const waits = ready.flatMap(({ issue_id, after }) => {
    const issue = issues.get(issue_id)
    return issue ? [{ issue, after: after.flatMap((id) => issueIdOf.get(id) ?? []) }] : []
  })
  const first = firstBatch(waits, options)
  return ready.filter(({ issue_id }) => first.has(issue_id))
}

/** An issue with those that stand before it in the plan. */
export interface WaitingIssue {
  readonly issue: Issue
  readonly after: readonly IssueId[]
}

/** What one agent call is for when all of these, in plan order, are left. */
export function firstBatch(waits: readonly WaitingIssue[], options: BatchOptions): ReadonlySet<IssueId> {
  if (options.strategy === 'single-call') return new Set(waits.map(({ issue }) => issue.id))
  const limits = {
    maxPoints: options.max_batch_points ?? defaultBatch.maxPoints,
    maxIssues: options.max_batch_issues ?? defaultBatch.maxIssues,
  }
  const batches = planBatches(waits.map(toBatched), limits)
  return new Set(batches[0]?.issues.map(({ issue_id }) => issue_id))
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

const toBatched = ({ issue, after }: WaitingIssue): BatchedIssue => ({
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
