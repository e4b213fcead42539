import { cancelAnywhere } from '../../../app/fix/cancel-session.ts'
import { theOpenSession } from '../../command/choose-session.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { describeResult } from '../../text/describe.ts'

export const runCancel: RunCommand<{ readonly session?: string }> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { result } = await cancelAnywhere(app, options.session ?? (await theOpenSession(app)))
    context.output.print(describeResult(result, context.output))
    context.output.result(result)
    return 0
  })
