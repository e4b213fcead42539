import { chooseIssues } from '../../../app/fix/choose-issues.ts'
import { resolveBase } from '../../../app/resolve-base.ts'
import { planApproach, planIssues } from '../../../app/prepare/plan-issues.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { planResult, planText } from '../../text/plan-text.ts'
import { choiceOf, type ChooseOptions } from '../../command/choice.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'
import { requireTrust } from '../../command/trust.ts'

interface Options extends ChooseOptions {
  readonly approach?: boolean
  readonly notes?: string
  readonly yes?: boolean
}

export const runPlan: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const chosen = await chooseIssues(app, choiceOf(options))
    using interrupts = listenForInterrupts(context.output.say)
    if (options.approach) await requireTrust(app, context, { yes: options.yes })
    const issues = options.approach
      ? await planApproach(app, {
          issues: chosen,
          base: await resolveBase(app, options.base),
          notes: options.notes ?? null,
          signal: interrupts.endNow,
        })
      : chosen
    const work = await planIssues(app, issues)
    context.output.print(planText(work, issues, context.output))
    context.output.result(planResult(work, issues))
    return interrupts.exitCode() ?? 0
  })
