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

/** Ordered steps; what shares a step may run at the same time. Issues read from first to last step are the landing order. */
export const Plan = z.object({ execution_steps: z.array(PlanStep).readonly() })
export type Plan = z.infer<typeof Plan>

export const issuesInOrder = (plan: Plan): readonly PlannedIssue[] =>
  plan.execution_steps.flatMap((step) => step.issues)
