import type { Plan } from '../model/plan.ts'
import type { Output } from './output.ts'
import { oneLine } from './printable.ts'

/** A plan as people read it: what shares a step may run at the same time. */
export function planText(plan: Plan, output: Output): string {
  if (plan.execution_steps.length === 0) return 'Nothing to fix.'
  return plan.execution_steps
    .map(({ step, issues }) => {
      const lines = issues.map(
        ({ code, file, title }) => `  ${code.padEnd(8)} ${file ?? '(no file)'}  ${oneLine(title, 80)}`,
      )
      return [output.paint('bold', `Step ${step}`), ...lines].join('\n')
    })
    .join('\n')
}
