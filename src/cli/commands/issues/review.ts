import { relative, resolve } from 'node:path'
import { findChangeBase } from '../../../app/review/change-base.ts'
import type { App } from '../../../app/open-app.ts'
import { reviewRepository, reviewResult, type Reviewed } from '../../../app/review/review-repository.ts'
import type { ReviewScope } from '../../../app/review/review-scope.ts'
import { coveredPercent, readsNothing, type FileCoverage } from '../../../model/issue/coverage.ts'
import { Fault } from '../../../model/fault.ts'
import type { ReviewProgress } from '../../../loop/review/ask-reviewer.ts'
import { builtInAgent } from '../../../model/config/written.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import type { Output } from '../../command/output.ts'
import { describeStored, plural, sharedLine, staleLine } from '../../text/describe.ts'
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

/** The files that were not read in full, and why; files that nobody was asked to read stand apart. */
function coverageText(coverage: readonly FileCoverage[]): string {
  const left = coverage.filter(({ state }) => state === 'skipped' || state === 'partly')
  const aside = coverage.filter(({ state }) => state === 'aside')
  const wanted = coverage.length - aside.length
  return [
    `Coverage: ${coveredPercent(coverage)} % of ${plural(wanted, 'file')} read in full`,
    ...reasonLines(left, ({ state, why }) => `${state}${why ? `: ${oneLine(why, 80)}` : ''}`),
    ...(aside.length > 0 ? [`Left out: ${plural(aside.length, 'file')}`] : []),
    ...reasonLines(aside, ({ why }) => oneLine(why ?? 'not said why', 80)),
    ...unreadLanguages(left),
  ].join('\n')
}

function reasonLines(
  files: readonly FileCoverage[],
  reasonOf: (file: FileCoverage) => string,
): readonly string[] {
  const reasons = [...Map.groupBy(files, reasonOf)].toSorted(([, a], [, b]) => b.length - a.length)
  const lines = reasons.slice(0, shownReasons).map(([reason, those]) => {
    const names = those.slice(0, shownFiles).map(({ file }) => file)
    const more = those.length > shownFiles ? ', …' : ''
    return `  ${those.length} ${reason} (${names.join(', ')}${more})`
  })
  const more = reasons.length > shownReasons ? [`  and ${reasons.length - shownReasons} other reasons`] : []
  return [...lines, ...more]
}

/** Scanners that write what fixpoint import reads, for languages without built-in rules. Many exit with 1 when they find something. */
const scanners: Readonly<Record<string, string>> = {
  C: 'cppcheck --xml . 2> report.xml',
  'C++': 'cppcheck --xml . 2> report.xml',
  Go: 'golangci-lint run --output.sarif.path=report.sarif',
  Rust: 'cargo clippy --message-format=json > report.json',
  PHP: 'phpcs --report=checkstyle . > report.xml',
  Ruby: 'rubocop -f emacs > report.txt',
  Java: 'semgrep scan --sarif -o report.sarif',
}

function unreadLanguages(left: readonly FileCoverage[]): readonly string[] {
  const languages = [...new Set(left.flatMap(({ why }) => /^no rules for (\S+)$/.exec(why ?? '')?.[1] ?? []))]
  if (languages.length === 0) return []
  const example = languages.map((language) => scanners[language]).find((line) => line !== undefined)
  const line = example ?? 'semgrep scan --sarif -o report.sarif'
  const file = /report\.\w+/.exec(line)?.[0] ?? 'report.sarif'
  return [
    `There are no rules for ${languages.join(', ')}: configure an agent (fixpoint agents), or import a scanner's report, for example: ${line}; fixpoint import ${file}`,
  ]
}

/** Lets the reviewers look at the code, and says what they found and how much of it they read. */
export const runReview: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    // Only begun: what may be asked of git and the kernel is asked meanwhile.
    app.ports().catch(() => undefined)
    await requireTrust(app, context, {
      yes: options.yes,
      for: options.yes ? 'session' : 'review',
      revisions: ['HEAD', ...(options.base === undefined ? [] : [options.base])],
    })
    const minCoverage = readMinCoverage(options.minCoverage)
    const scope = await withChangeBase(
      app,
      context,
      scopeOf(options, { root: app.git.root, cwd: context.cwd }),
    )
    output.say((await app.jail()).state.text)
    using interrupts = listenForInterrupts(output.say)
    output.event({ type: 'review_started', scope })
    const onProgress = showProgress(output)
    try {
      const reviewed = await reviewRepository(app, { ...scope, onProgress }, interrupts.stopStarting)
      printReview(reviewed, output)
      const shortcoming = shortcomingOf(reviewed, minCoverage)
      if (shortcoming !== null) output.say(shortcoming)
      return interrupts.exitCode() ?? (shortcoming === null ? 0 : couldNotEvaluate)
    } catch (error) {
      const code = interrupts.exitCode()
      if (code === null || !(error instanceof Fault)) throw error
      output.say('cancelled: nothing of this review was stored')
      output.result({ schema: 'fixpoint.error.v1', code: 'cancelled', message: error.message, hint: null })
      return code
    }
  })

const couldNotEvaluate = 3

/** On a pull request of a build service, what changed is looked at, unless somebody says what. */
async function withChangeBase(
  app: App,
  { env, output }: CommandContext,
  scope: ReviewScope,
): Promise<ReviewScope> {
  if (scope.paths.length > 0 || scope.base !== undefined || scope.pending) return scope
  const found = await findChangeBase(app, env)
  if (!found) return scope
  output.say(`${found.service} builds a pull request: looking at what changed since ${found.base}`)
  return { ...scope, base: found.base }
}

/** How many findings are shown while the review runs. */
const shownLive = 20

/** One line for each reviewer that begins and ends, and the first findings of those that tell them as they go. */
function showProgress(output: Output): (progress: ReviewProgress) => void {
  let shown = 0
  return (progress) => {
    const { agent } = progress
    switch (progress.type) {
      case 'began':
        output.say(`${agent}: looking at ${plural(progress.files, 'file')}`)
        return
      case 'said': {
        output.event({ type: 'review_streaming', agent, text: progress.text })
        if (agent !== builtInAgent) return
        const lines = progress.text.split('\n').slice(0, shownLive - shown)
        shown += lines.length
        lines.forEach((line) => output.say(`  ${oneLine(line, 160)}`))
        return
      }
      case 'ended':
        output.event({ type: 'review_result', agent, findings: progress.findings, reason: progress.reason })
    }
  }
}

function printReview(reviewed: Reviewed, output: Output): void {
  const { review, findings, stale, absent, shared } = reviewed
  const coverage = review.coverage ?? []
  for (const reviewer of review.reviewers) output.say(reviewerLine(reviewer))
  if (stale > 0) output.say(staleLine(stale))
  if (absent > 0)
    output.say(
      `${plural(absent, 'known issue')} no longer raised by what raised them: fix --all leaves them out`,
    )
  if (shared > 0) output.say(sharedLine(shared))
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
    issues_absent: absent,
    issues_ignored: shared,
    found: reviewed.found,
    coverage: { percent: coveredPercent(coverage), files: coverage },
  })
}

function reviewerLine({ agent, state, findings, coverage, cost_usd, reason }: Reviewer): string {
  const parts = [
    `${agent}: ${state}`,
    plural(findings, 'finding'),
    ...(coverage ? [`${plural(coverage.reviewed.length, 'file')} read`] : []),
    ...(coverage?.suppressed ? [`${coverage.suppressed} silenced by comments`] : []),
    ...(cost_usd ? [`$${cost_usd.toFixed(2)}`] : []),
  ]
  return `${parts.join(', ')}${reason ? `; ${oneLine(reason, 300)}` : ''}`
}

/** Why the review does not count as done although it ended; null when it does. */
function shortcomingOf({ review, findings }: Reviewed, minCoverage: number | null): string | null {
  const failed = review.reviewers.filter(({ state, unanswered = 0 }) => state === 'failed' || unanswered > 0)
  if (failed.length > 0)
    return `this review is incomplete: ${failed.map(({ agent }) => agent).join(', ')} gave no answer that counts; what the others found is kept`
  const coverage = review.coverage ?? []
  const covered = coveredPercent(coverage)
  if (minCoverage !== null && covered < minCoverage)
    return `only ${covered} % of the files were read in full; --min-coverage asks for ${minCoverage} %`
  const isUnread = review.state !== 'complete' && findings === 0 && readsNothing(coverage)
  return isUnread ? 'nothing was reviewed: no reviewer could read any of these files' : null
}
