import type { IssueId } from '../model/id.ts'
import type { Issue } from '../model/issue/issue.ts'
import type { Plan, PlannedIssue } from '../model/session/plan.ts'

const defaultEffort = 3
const defaultFiles = 1

/** The most that one batch holds, where the session does not say. */
export const defaultBatch = { maxPoints: 15, maxIssues: 5 }

export const effortOf = (issue: Pick<Issue, 'estimated_effort'>): number =>
  issue.estimated_effort ?? defaultEffort

export const workloadOf = (issue: Pick<Issue, 'estimated_effort' | 'estimated_files_count'>): number =>
  effortOf(issue) * (issue.estimated_files_count ?? defaultFiles)

/** Issues that share a file, or where one depends on another, come into different steps, in order; all others share a step. */
export function planFixes(issues: readonly Issue[]): Plan {
  const ordered = inDependencyOrder(issues.toSorted(byUrgency))
  const stepOf = new Map<IssueId, number>()
  const lastOnFile = new Map<string, number>()
  for (const issue of ordered) {
    const before = issue.depends_on.map((id) => stepOf.get(id) ?? 0)
    const onFile = issue.file ? (lastOnFile.get(issue.file) ?? 0) : 0
    const step = Math.max(onFile, ...before, 0) + 1
    stepOf.set(issue.id, step)
    if (issue.file) lastOnFile.set(issue.file, step)
  }
  const onFile = Map.groupBy(ordered, (issue) => issue.file ?? issue.id)
  const steps = Map.groupBy(ordered, (issue) => stepOf.get(issue.id) ?? 1)
  const execution_steps = [...steps.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([step, members]) => ({
      step,
      issues: members
        .toSorted((a, b) => fileLoad(onFile, b) - fileLoad(onFile, a))
        .map((issue) => planned(issue, stepOf)),
    }))
  return { execution_steps }
}

/** The longest file first: its chain decides when everything is done. */
const fileLoad = (onFile: ReadonlyMap<string, readonly Issue[]>, issue: Issue): number =>
  (onFile.get(issue.file ?? issue.id) ?? []).length

const planned = (issue: Issue, chosen: ReadonlyMap<IssueId, number>): PlannedIssue => ({
  issue_id: issue.id,
  code: issue.code,
  title: issue.title,
  file: issue.file,
  workload: workloadOf(issue),
  depends_on: issue.depends_on.filter((id) => chosen.has(id)),
})

const byUrgency = (a: Issue, b: Issue): number =>
  b.priority - a.priority || (a.line ?? 0) - (b.line ?? 0) || (a.code < b.code ? -1 : 1)

/** Predecessors first, else as given; a circle is cut where it is entered. */
function inDependencyOrder(issues: readonly Issue[]): readonly Issue[] {
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const placed = new Set<IssueId>()
  const entered = new Set<IssueId>()
  const order: Issue[] = []
  const place = (issue: Issue): void => {
    if (entered.has(issue.id)) return
    entered.add(issue.id)
    for (const id of issue.depends_on) {
      const before = byId.get(id)
      if (before && !placed.has(id)) place(before)
    }
    placed.add(issue.id)
    order.push(issue)
  }
  issues.forEach(place)
  return order
}
