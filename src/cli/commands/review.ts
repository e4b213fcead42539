import { reviewRepository } from '../../app/review-repository.ts'
import { withApp, type RunCommand } from '../command.ts'
import { describeStored } from '../describe.ts'
import { listenForInterrupts } from '../interrupts.ts'
import { oneLine } from '../printable.ts'
import { requireTrust } from '../trust.ts'

interface Options {
  readonly paths: readonly string[]
  readonly yes?: boolean
}

export const run: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    const { agents, review: settings } = app.loaded.config
    const runsCommands = settings.scanners.length > 0 || agents.reviewers.some(({ use }) => use === 'command')
    if (runsCommands || options.yes) await requireTrust(app, context, options.yes ?? false)
    const interrupts = listenForInterrupts(output.say)
    try {
      const reviewed = await reviewRepository(app, options.paths, interrupts.stop)
      const { review } = reviewed
      for (const reviewer of review.reviewers)
        output.say(
          `${reviewer.agent}: ${reviewer.state}, ${reviewer.findings} findings${reviewer.coverage ? `, ${reviewer.coverage.reviewed.length} files read` : ''}${reviewer.reason ? `; ${oneLine(reviewer.reason, 300)}` : ''}`,
        )
      if (reviewed.stale > 0) output.say(`${reviewed.stale} known issues are stale: their code is gone`)
      output.print(describeStored(`Found ${reviewed.findings} problems.`, reviewed))
      output.result({
        schema: 'fixpoint.review.v1',
        review_id: review.id,
        state: review.state,
        reviewers: review.reviewers,
        findings: reviewed.findings,
        issues_created: reviewed.created,
        issues_updated: reviewed.changed,
        issues_stale: reviewed.stale,
      })
      return interrupts.exitCode() ?? 0
    } finally {
      interrupts.end()
    }
  })
