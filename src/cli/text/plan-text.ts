import type { PlannedWork } from '../../app/prepare/plan-issues.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Output } from '../command/output.ts'
import { oneLine } from '../../client/printable.ts'
import { plural } from './describe.ts'

/** A plan as people read it: what shares a step may run at the same time. */
export function planText(
  { plan, batches, estimatedCostUsd }: PlannedWork,
  issues: readonly Issue[],
  output: Output,
): string {
  if (plan.execution_steps.length === 0) return 'Nothing to fix.'
  const approachOf = new Map(issues.map(({ code, plan: own }) => [code, own?.approach ?? null]))
  const steps = plan.execution_steps.flatMap(({ step, issues: members }) => [
    output.paint('bold', `Step ${step}`),
    ...members.flatMap(({ code, file, title }) => {
      const approach = approachOf.get(code)
      const line = `  ${code.padEnd(8)} ${file ?? '(no file)'}  ${oneLine(title, 80)}`
      return approach ? [line, `           ${oneLine(approach, 100)}`] : [line]
    }),
  ])
  const groups = batches.map(
    ({ batch, class: name, workload, issues: members }) =>
      `  ${batch}. ${name}, ${plural(workload, 'point')}: ${members.map(({ code, part }) => (part ? `${code} (part ${part.number} of ${part.of})` : code)).join(', ')}`,
  )
  const cost =
    estimatedCostUsd === null
      ? 'Estimated cost: unknown, because no earlier fix here had a price'
      : `Estimated cost: about $${estimatedCostUsd.toFixed(2)}`
  return [...steps, output.paint('bold', 'Batches (for --strategy sequential)'), ...groups, cost].join('\n')
}

/** A plan as programs read it, of `plan` and of a dry run alike. */
export const planResult = ({ plan, batches, estimatedCostUsd }: PlannedWork, issues: readonly Issue[]) => ({
  schema: 'fixpoint.plan.v1',
  ...plan,
  batches,
  estimated_cost_usd: estimatedCostUsd,
  approaches: Object.fromEntries(issues.flatMap(({ code, plan: own }) => (own ? [[code, own]] : []))),
})
