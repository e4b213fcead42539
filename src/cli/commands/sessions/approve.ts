import { answerApproval, type ApprovalRequest } from '../../../app/fix/answer-approval.ts'
import { theWaitingSession } from '../../command/choose-session.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { describeResult } from '../../text/describe.ts'

interface Options {
  /** `[session] [codes…]` */
  readonly words: readonly string[]
  /** Given by `reject` only. */
  readonly reason?: string
}

/** `approve` and `reject`: exactly what was asked, nothing wider. */
export const runApprove: RunCommand<Options> = (context, { words, reason }) =>
  withApp(context, {}, async (app) => {
    const named = words[0]?.startsWith('ses_') ? words[0] : null
    const codes = named === null ? words : words.slice(1)
    const verb = reason === undefined ? 'approve' : 'reject'
    const sessionId = named ?? (await theWaitingSession(app, verb, codes))
    const answer: ApprovalRequest['answer'] = reason === undefined ? { approve: true } : { reject: reason }
    const { result } = await answerApproval(app, { sessionId, codes, answer })
    context.output.print(describeResult(result, context.output))
    context.output.result(result)
    return 0
  })
