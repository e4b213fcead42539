import { z } from 'zod'
import type { IssueClass } from '../issue/issue.ts'
import { PlannedIssue } from './plan.ts'

/** A part of an issue that is too large for one batch: some of its files. */
export const BatchItem = PlannedIssue.extend({
  part: z
    .object({ number: z.number().int(), of: z.number().int(), files: z.array(z.string()).readonly() })
    .nullable(),
})
export type BatchItem = z.infer<typeof BatchItem>

/** Issues that one agent call is given together. */
export const Batch = z.object({
  batch: z.number().int(),
  class: z.enum(['BE', 'FE', 'GEN']),
  workload: z.number(),
  issues: z.array(BatchItem).readonly(),
})
export type Batch = z.infer<typeof Batch>

export interface BatchLimits {
  readonly maxPoints: number
  readonly maxIssues: number
}

/** An issue with what batching needs to know of it beside the plan. */
export interface BatchedIssue extends PlannedIssue {
  readonly class: IssueClass
  readonly effort: number
  /** The files that its fix is expected to touch, where a planner has named them. */
  readonly files: readonly string[]
}

const classOrder: readonly IssueClass[] = ['BE', 'FE', 'GEN']

/** Batches in the order of the plan: all of BE, then FE, then GEN. What is too large is divided by its files, or stands alone. */
export function planBatches(issues: readonly BatchedIssue[], limits: BatchLimits): readonly Batch[] {
  const batches = classOrder.flatMap((name) =>
    fillBatches(
      issues.filter((issue) => issue.class === name).flatMap((issue) => partsOf(issue, limits)),
      limits,
    ).map((items) => ({ class: name, items })),
  )
  return batches.map(({ class: name, items }, index) => ({
    batch: index + 1,
    class: name,
    workload: pointsOf(items),
    issues: items,
  }))
}

function fillBatches(items: readonly BatchItem[], { maxPoints, maxIssues }: BatchLimits): BatchItem[][] {
  const batches: BatchItem[][] = []
  for (const item of items) {
    const last = batches.at(-1)
    const fits = last && last.length < maxIssues && pointsOf(last) + item.workload <= maxPoints
    // Two parts of one issue in one batch would be one part.
    if (fits && !last.some(({ issue_id }) => issue_id === item.issue_id)) last.push(item)
    else batches.push([item])
  }
  return batches
}

const pointsOf = (items: readonly BatchItem[]): number =>
  items.reduce((sum, { workload }) => sum + workload, 0)

function partsOf(
  { class: _class, effort, files, ...planned }: BatchedIssue,
  limits: BatchLimits,
): readonly BatchItem[] {
  const parts = divideWork({ workload: planned.workload, effort, files }, limits.maxPoints)
  if (!parts) return [{ ...planned, part: null }]
  return parts.map((some, index) => ({
    ...planned,
    workload: effort * some.length,
    part: { number: index + 1, of: parts.length, files: some },
  }))
}

/** The files of each part of work that is too much for one go; null where it is not, or cannot be divided. */
export function divideWork(
  { workload, effort, files }: Pick<BatchedIssue, 'workload' | 'effort' | 'files'>,
  maxPoints: number,
): readonly (readonly string[])[] | null {
  const filesPerPart = Math.max(1, Math.floor(maxPoints / effort))
  if (workload <= maxPoints || files.length <= filesPerPart) return null
  return Array.from({ length: Math.ceil(files.length / filesPerPart) }, (_, index) =>
    files.slice(index * filesPerPart, (index + 1) * filesPerPart),
  )
}

/** A divided issue is fixed when all its parts are; the first that is not decides otherwise. */
export const joinParts = <Outcome extends string>(
  outcomes: readonly (Outcome | 'fixed')[],
): Outcome | 'fixed' => outcomes.find((outcome) => outcome !== 'fixed') ?? 'fixed'
