import { z } from 'zod'
import type { IssueId } from '../id.ts'
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
  /** What must be over, or in the same batch, before it can begin. */
  readonly after: readonly IssueId[]
  readonly class: IssueClass
  readonly effort: number
  /** The files that its fix is expected to touch, where a planner has named them. */
  readonly files: readonly string[]
}

const classOrder: readonly IssueClass[] = ['BE', 'FE', 'GEN']

/**
 * Batches in the order in which they run: BE before FE before GEN, each issue with or after its predecessors. An issue
 * that is too large is divided by its files, or stands alone. The issues are given in the order of the plan.
 */
export function planBatches(issues: readonly BatchedIssue[], limits: BatchLimits): readonly Batch[] {
  const batches: Batch[] = []
  let waiting = issues.flatMap((issue) => partsOf(issue, limits).map((item) => ({ issue, item })))
  while (waiting.length > 0) {
    const taken = takeBatch(waiting, limits)
    const [first] = taken
    if (!first) throw new Error('the predecessors of issues form a circle')
    const items = taken.map(({ item }) => item)
    const facts = { batch: batches.length + 1, class: first.issue.class, workload: pointsOf(items) }
    batches.push({ ...facts, issues: items })
    waiting = waiting.filter((one) => !taken.includes(one))
  }
  return batches
}

interface Waiting {
  readonly issue: BatchedIssue
  readonly item: BatchItem
}

/** The next batch: of the first class that has something to begin with. */
function takeBatch(waiting: readonly Waiting[], limits: BatchLimits): readonly Waiting[] {
  const open = new Map<IssueId, number>()
  for (const { issue } of waiting) open.set(issue.issue_id, (open.get(issue.issue_id) ?? 0) + 1)
  for (const name of classOrder) {
    const ofClass = waiting.filter(({ issue }) => issue.class === name)
    const taken = fillBatch(ofClass, open, limits)
    if (taken.length > 0) return taken
  }
  return []
}

/** `open` counts the parts of each issue that no batch holds yet. */
function fillBatch(
  candidates: readonly Waiting[],
  open: Map<IssueId, number>,
  { maxPoints, maxIssues }: BatchLimits,
): readonly Waiting[] {
  const taken: Waiting[] = []
  for (const one of candidates) {
    if (one.issue.after.some((id) => (open.get(id) ?? 0) > 0)) continue
    const points = pointsOf(taken.map(({ item }) => item))
    const fits = taken.length < maxIssues && points + one.item.workload <= maxPoints
    // Two parts of one issue in one batch would be one part.
    if (taken.length > 0 && (!fits || taken.some(({ issue }) => issue === one.issue))) break
    taken.push(one)
    open.set(one.issue.issue_id, (open.get(one.issue.issue_id) ?? 0) - 1)
  }
  return taken
}

const pointsOf = (items: readonly BatchItem[]): number =>
  items.reduce((sum, { workload }) => sum + workload, 0)

function partsOf(
  { class: _class, after: _after, effort, files, ...planned }: BatchedIssue,
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

/**
 * The files of each part of work that is too large for one batch; null where it is not too large, or cannot be divided.
 */
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
