import { reviewPullRequest, type ReviewedPull } from '../../../app/forge/review-pull-request.ts'
import { oneLine } from '../../../client/printable.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'
import { requireTrust } from '../../command/trust.ts'

interface Options {
  readonly pull: string
  readonly post?: boolean
  readonly yes?: boolean
}

const exits = { approved: 0, changes_needed: 1, not_evaluated: 3 } as const

export const runPrReview: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    await requireTrust(app, context, { for: 'forge', yes: options.yes })
    using interrupts = listenForInterrupts(output.say)
    const review = await reviewPullRequest(app, {
      pull: options.pull,
      isPosted: options.post ?? false,
      requireTrust: (voting, base) => requireTrust(voting, context, { yes: options.yes, revisions: [base] }),
      signal: interrupts.stopStarting,
      say: output.say,
    })
    output.print(describe(review))
    output.result({ schema: 'fixpoint.pr-review.v1', ...review })
    return interrupts.exitCode() ?? exits[review.status]
  })

function describe({ number, status, reason, votes, blocking, unasked }: ReviewedPull): string {
  return [
    `#${number}: ${status.replaceAll('_', ' ')}: ${reason}`,
    ...votes.map(
      ({ agent, score, summary, missing }) =>
        `  ${agent}: ${score ?? 'no vote'}  ${oneLine(score === null ? (missing ?? '') : summary, 160)}`,
    ),
    ...blocking.map((one) => `  blocks: ${oneLine(one.title, 120)} (${oneLine(one.confirmed_by, 120)})`),
    ...unasked.map((line) => `  not asked: ${oneLine(line, 160)}`),
  ].join('\n')
}
