import {
  answerApproval,
  type AnsweredApproval,
  type ApprovalRequest,
} from '../../../app/fix/answer-approval.ts'
import { theWaitingSession } from '../../command/choose-session.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { describeWayOn } from '../../text/describe.ts'

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
    const { answered, result } = await answerApproval(app, { sessionId, codes, answer })
    context.output.print([...describeAnswer(answered, answer), ...describeWayOn(result)].join('\n'))
    context.output.result(result)
    return 0
  })

/** What the answer changed, a line for each issue. */
const describeAnswer = (
  { disputes, held }: AnsweredApproval['answered'],
  answer: ApprovalRequest['answer'],
): readonly string[] => [
  ...held.map(({ issue_code, question: { paths } }) =>
    'reject' in answer
      ? `${issue_code}: these changes are taken back; the fixer will read: ${answer.reject}`
      : `${issue_code}: may change ${paths?.join(', ') ?? 'what was asked about'}`,
  ),
  ...disputes.map(({ issue_code }) =>
    'reject' in answer
      ? `${issue_code}: stays open; the next fixer will read: ${answer.reject}`
      : `${issue_code}: ignored, as a false positive`,
  ),
]
