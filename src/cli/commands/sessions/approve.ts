import { answerApproval, type ApprovalRequest } from '../../../app/fix/answer-approval.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { describeResult } from '../../text/describe.ts'

interface Options {
  readonly session: string
  readonly codes: readonly string[]
  /** Given by `reject` only. */
  readonly reason?: string
}

/** `approve` and `reject`: exactly what was asked, nothing wider. */
export const runApprove: RunCommand<Options> = (context, { session, codes, reason }) =>
  withApp(context, {}, async (app) => {
    const answer: ApprovalRequest['answer'] = reason === undefined ? { approve: true } : { reject: reason }
    const { result } = await answerApproval(app, { sessionId: session, codes, answer })
    context.output.print(describeResult(result, context.output))
    context.output.result(result)
    return 0
  })
