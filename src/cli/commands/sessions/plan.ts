import { chooseIssues, isFixable } from '../../../app/fix/choose-issues.ts'
import type { App } from '../../../app/open-app.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { resolveBase } from '../../../app/resolve-base.ts'
import { planApproach, planIssues } from '../../../app/prepare/plan-issues.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
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
    const chosen = await chooseFixable(app, context, options)
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

/** The issues that are named, or all open ones, without those of which nothing is left to fix. */
async function chooseFixable(
  app: App,
  { output }: CommandContext,
  options: Options,
): Promise<readonly Issue[]> {
  const all = options.all ?? options.codes.length === 0
  const asked = await chooseIssues(app, { ...choiceOf(options), all })
  const closed = asked.filter((issue) => !isFixable(issue))
  if (closed.length > 0)
    output.say(
      `note: not planned, as nothing is left to fix: ${closed.map(({ code, status }) => `${code} (${status})`).join(', ')}`,
    )
  return asked.filter(isFixable)
}
