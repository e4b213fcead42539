import { answerComment } from '../../../app/forge/answer-comment.ts'
import { Fault } from '../../../model/fault.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'
import { requireTrust } from '../../command/trust.ts'

interface Options {
  readonly comment: string
  readonly yes?: boolean
}

export const runPrAnswer: RunCommand<Options> = (context, { comment, yes }) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    await requireTrust(app, context, { for: 'forge', yes })
    using interrupts = listenForInterrupts(output.say)
    const { exitCode, ...answered } = await answerComment(app, {
      comment: numberOf(comment),
      requireTrust: (opened, revision) => requireTrust(opened, context, { yes, revisions: [revision] }),
      signals: interrupts,
      say: output.say,
    })
    output.print(answered.text ?? 'The comment is no command of somebody who may write: nothing was done.')
    output.result({ schema: 'fixpoint.pr-answer.v1', ...answered })
    return interrupts.exitCode() ?? exitCode
  })

function numberOf(comment: string): number {
  if (/^\d{1,15}$/.test(comment)) return Number(comment)
  throw new Fault('usage', `"${comment}" is no number of a comment`, {
    hint: 'It stands at the end of its address, after #issuecomment-.',
  })
}
