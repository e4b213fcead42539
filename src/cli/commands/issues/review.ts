import { relative, resolve } from 'node:path'
import { reviewRepository, reviewResult, type Reviewed } from '../../../app/review/review-repository.ts'
import type { ReviewScope } from '../../../app/review/review-scope.ts'
import { coveredPercent, readsNothing, type FileCoverage } from '../../../model/issue/coverage.ts'
import { Fault } from '../../../model/fault.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import type { Output } from '../../command/output.ts'
import { describeStored, plural } from '../../text/describe.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'
import { oneLine } from '../../../client/printable.ts'
import { requireTrust } from '../../command/trust.ts'

type Reviewer = Reviewed['review']['reviewers'][number]

interface Options {
  readonly paths: readonly string[]
  readonly yes?: boolean
  readonly base?: string
  readonly staged?: boolean
  readonly uncommitted?: boolean
  readonly spec?: string
  readonly minCoverage?: string
}

/** The percentage of files that must have been read in full; null when nobody asks for one. */
function readMinCoverage(text: string | undefined): number | null {
  if (text === undefined) return null
  const percent = Number(text.replace(/%$/, ''))
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent
  throw new Fault('usage', `--min-coverage takes a percentage from 0 to 100, not "${text}"`)
}

/** A path that was typed in `cwd`, from the root of the repository. */
function pathFromRoot(path: string, { root, cwd }: Place): string {
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
    paths: paths.map((path) => pathFromRoot(path, place)),
    ...(base !== undefined && { base }),
    ...(spec !== undefined && { spec: pathFromRoot(spec, place) }),
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

/** Lets the reviewers look at the code, and says what they found and how much of it they read. */
export const runReview: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    await requireTrust(app, context, {
      yes: options.yes,
      for: options.yes ? 'session' : 'review',
      revisions: ['HEAD', ...(options.base === undefined ? [] : [options.base])],
    })
    const minCoverage = readMinCoverage(options.minCoverage)
    const scope = scopeOf(options, { root: app.git.root, cwd: context.cwd })
    output.say((await app.jail()).state.text)
    using interrupts = listenForInterrupts(output.say)
    const reviewed = await reviewRepository(app, scope, interrupts.stopStarting)
    printReview(reviewed, output)
    const shortcoming = shortcomingOf(reviewed, minCoverage)
    if (shortcoming !== null) output.say(shortcoming)
    return interrupts.exitCode() ?? (shortcoming === null ? 0 : couldNotEvaluate)
  })

const couldNotEvaluate = 3

function printReview(reviewed: Reviewed, output: Output): void {
  const { review, findings, stale } = reviewed
  const coverage = review.coverage ?? []
  for (const reviewer of review.reviewers) output.say(reviewerLine(reviewer))
  if (stale > 0) output.say(`${stale} known issues are stale: their code is gone`)
  output.say(
    coverage.length === 0
      ? 'Nothing to review: nothing changed, or nothing of it is text.'
      : coverageText(coverage),
  )
  output.print(describeStored(`Found ${plural(findings, 'problem')}.`, reviewed))
  output.result({
    schema: 'fixpoint.review.v1',
    ...reviewResult(reviewed),
    issues_stale: stale,
    coverage: { percent: coveredPercent(coverage), files: coverage },
  })
  const failed = review.reviewers.filter(({ state }) => state === 'failed')
  if (failed.length > 0)
    output.say(`this review is partial: ${failed.map(({ agent }) => agent).join(', ')} could not look`)
}

function reviewerLine({ agent, state, findings, coverage, cost_usd, reason }: Reviewer): string {
  const parts = [
    `${agent}: ${state}`,
    plural(findings, 'finding'),
    ...(coverage ? [`${plural(coverage.reviewed.length, 'file')} read`] : []),
    ...(cost_usd ? [`$${cost_usd.toFixed(2)}`] : []),
  ]
  return `${parts.join(', ')}${reason ? `; ${oneLine(reason, 300)}` : ''}`
}

/** Why the review does not count as done although it ended; null when it does. */
function shortcomingOf({ review, findings }: Reviewed, minCoverage: number | null): string | null {
  const coverage = review.coverage ?? []
  const covered = coveredPercent(coverage)
  if (minCoverage !== null && covered < minCoverage)
    return `only ${covered} % of the files were read in full; --min-coverage asks for ${minCoverage} %`
  const isUnread = review.state !== 'complete' && findings === 0 && readsNothing(coverage)
  return isUnread ? 'nothing was reviewed: no reviewer read any of these files' : null
}
