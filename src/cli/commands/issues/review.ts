import { relative, resolve } from 'node:path'
import { reviewRepository } from '../../../app/review/review-repository.ts'
import type { ReviewScope } from '../../../app/review/review-scope.ts'
import { coveredPercent, readsNothing, type FileCoverage } from '../../../model/issue/coverage.ts'
import { Fault } from '../../../model/fault.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { describeStored, plural } from '../../text/describe.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'
import { oneLine } from '../../../client/printable.ts'
import { requireTrust } from '../../command/trust.ts'

interface Options {
  readonly paths: readonly string[]
  readonly yes?: boolean
  readonly base?: string
  readonly staged?: boolean
  readonly uncommitted?: boolean
  readonly spec?: string
  readonly minCoverage?: string
}

/** The share of files that must have been read in full, in percent. */
function coverageBar(text: string | undefined): number | null {
  if (text === undefined) return null
  const percent = Number(text.replace(/%$/, ''))
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent
  throw new Fault('usage', `--min-coverage takes a percentage from 0 to 100, not "${text}"`)
}

/** A path as it was typed, from wherever in the repository. */
function placed(path: string, { root, cwd }: Place): string {
  const inside = relative(root, resolve(cwd, path)) || '.'
  if (inside === '..' || inside.startsWith('../'))
    throw new Fault('usage', `${path} is outside of the repository at ${root}`)
  return inside
}

interface Place {
  readonly root: string
  readonly cwd: string
}

function scopeOf({ paths, base, staged, uncommitted, spec }: Options, place: Place): ReviewScope {
  if ([base !== undefined, staged, uncommitted].filter(Boolean).length > 1)
    throw new Fault('usage', 'give one of --base, --staged and --uncommitted')
  return {
    paths: paths.map((path) => placed(path, place)),
    ...(base !== undefined && { base }),
    ...(spec !== undefined && { spec: placed(spec, place) }),
    ...(staged && { pending: 'staged' as const }),
    ...(uncommitted && { pending: 'uncommitted' as const }),
  }
}

const shownFiles = 3
const shownReasons = 8

/** What was not read in full, and why. */
function coverageText(coverage: readonly FileCoverage[]): string {
  const left = coverage.filter(({ state }) => state !== 'reviewed')
  const reasons = [
    ...Map.groupBy(left, ({ state, why }) => `${state}${why ? `: ${oneLine(why, 80)}` : ''}`),
  ].toSorted(([, a], [, b]) => b.length - a.length)
  const lines = reasons.slice(0, shownReasons).map(([reason, files]) => {
    const names = files.slice(0, shownFiles).map(({ file }) => file)
    const more = files.length > shownFiles ? ', …' : ''
    return `  ${files.length} ${reason} (${names.join(', ')}${more})`
  })
  const more = reasons.length > shownReasons ? [`  and ${reasons.length - shownReasons} other reasons`] : []
  return [
    `Coverage: ${coveredPercent(coverage)} % of ${plural(coverage.length, 'file')} read in full`,
    ...lines,
    ...more,
  ].join('\n')
}

export const runReview: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    await requireTrust(app, context, {
      yes: options.yes,
      for: options.yes ? 'session' : 'review',
      revisions: ['HEAD', ...(options.base === undefined ? [] : [options.base])],
    })
    const bar = coverageBar(options.minCoverage)
    const interrupts = listenForInterrupts(output.say)
    try {
      const reviewed = await reviewRepository(
        app,
        scopeOf(options, { root: app.git.root, cwd: context.cwd }),
        interrupts.stopStarting,
      )
      const { review } = reviewed
      for (const reviewer of review.reviewers)
        output.say(
          `${reviewer.agent}: ${reviewer.state}, ${plural(reviewer.findings, 'finding')}${reviewer.coverage ? `, ${plural(reviewer.coverage.reviewed.length, 'file')} read` : ''}${reviewer.cost_usd ? `, $${reviewer.cost_usd.toFixed(2)}` : ''}${reviewer.reason ? `; ${oneLine(reviewer.reason, 300)}` : ''}`,
        )
      if (reviewed.stale > 0) output.say(`${reviewed.stale} known issues are stale: their code is gone`)
      const coverage = review.coverage ?? []
      const covered = coveredPercent(coverage)
      output.say(
        coverage.length === 0
          ? 'Nothing to review: nothing changed, or nothing of it is text.'
          : coverageText(coverage),
      )
      output.print(describeStored(`Found ${plural(reviewed.findings, 'problem')}.`, reviewed))
      output.result({
        schema: 'fixpoint.review.v1',
        review_id: review.id,
        state: review.state,
        reviewers: review.reviewers,
        findings: reviewed.findings,
        issues_created: reviewed.created,
        issues_updated: reviewed.changed,
        issues_stale: reviewed.stale,
        coverage: { percent: covered, files: coverage },
      })
      if (bar !== null && covered < bar) {
        output.say(`only ${covered} % of the files were read in full; --min-coverage asks for ${bar} %`)
        return interrupts.exitCode() ?? 3
      }
      const failed = review.reviewers.filter(({ state }) => state === 'failed')
      if (failed.length > 0)
        output.say(`this review is partial: ${failed.map(({ agent }) => agent).join(', ')} could not look`)
      if (review.state !== 'complete' && reviewed.findings === 0 && readsNothing(coverage)) {
        output.say('nothing was reviewed: no reviewer read any of these files')
        return interrupts.exitCode() ?? 3
      }
      return interrupts.exitCode() ?? 0
    } finally {
      interrupts.end()
    }
  })
