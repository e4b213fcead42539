import { z } from 'zod'
import { IssueId } from '../id.ts'

export const PlannedIssue = z.object({
  issue_id: IssueId,
  code: z.string(),
  title: z.string(),
  file: z.string().nullable(),
  workload: z.number(),
  depends_on: z.array(IssueId).readonly(),
})
export type PlannedIssue = z.infer<typeof PlannedIssue>

export const PlanStep = z.object({
  step: z.number().int(),
  issues: z.array(PlannedIssue).readonly(),
})
export type PlanStep = z.infer<typeof PlanStep>

/** Ordered steps; what shares a step may run at the same time. Issues read from first to last step are the landing order, of each batch where there are batches. */
export const Plan = z.object({ execution_steps: z.array(PlanStep).readonly() })
export type Plan = z.infer<typeof Plan>

/** For each issue, those that must be settled before it: the one before it on its file, and what it depends on. A circle is cut where it is entered. */
export function predecessorsIn(plan: Plan): ReadonlyMap<IssueId, readonly IssueId[]> {
  const before = new Map<IssueId, readonly IssueId[]>()
  const lastOnFile = new Map<string, IssueId>()
  for (const { issue_id, file, depends_on } of issuesInOrder(plan)) {
    const onFile = file === null ? undefined : lastOnFile.get(file)
    const waits = depends_on.filter((id) => before.has(id))
    before.set(issue_id, [...new Set(onFile === undefined ? waits : [...waits, onFile])])
    if (file !== null) lastOnFile.set(file, issue_id)
  }
  return before
}

export const issuesInOrder = (plan: Plan): readonly PlannedIssue[] =>
  plan.execution_steps.flatMap((step) => step.issues)
