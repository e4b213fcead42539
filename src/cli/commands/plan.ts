import { chooseIssues } from '../../app/fix-issues.ts'
import { planFixes } from '../../loop/plan.ts'
import { withApp, type RunCommand } from '../command.ts'
import { planText } from '../plan-text.ts'
import { choiceOf, type ChooseOptions } from '../choice.ts'

export const run: RunCommand<ChooseOptions> = (context, options) =>
  withApp(context, {}, async (app) => {
    const plan = planFixes(await chooseIssues(app, choiceOf(options)))
    context.output.print(planText(plan, context.output))
    context.output.result({ schema: 'fixpoint.plan.v1', ...plan })
    return 0
  })
