import type { IssuePage } from '../../loop/ports.ts'
import type { StoredFindings } from '../../loop/triage/store-findings.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { FixEvent } from '../../model/session/event.ts'
import type { SessionResult } from '../../model/session/session-result.ts'
import type { FixOutcome } from '../../app/fix/stored-session.ts'
import type { Output } from '../command/output.ts'
import { oneLine, printable } from '../../client/printable.ts'

/** The effect of the project's own list of ignored issues. */
export const sharedLine = (ignored: number): string =>
  `${plural(ignored, 'issue')} ignored, as the project's .fixpoint/ignored.yaml says`

/** Known issues whose code is not there any more. */
export const staleLine = (stale: number): string =>
  `${plural(stale, 'known issue')} ${stale === 1 ? 'is stale: its' : 'are stale: their'} code is gone`

/** What became of findings that were just stored. */
export function describeStored(first: string, { created, changed }: StoredFindings): string {
  const counts = `${plural(created, 'new issue')}, ${changed} updated.`
  const next = created > 0 ? '\nNext: fixpoint issues list, then fixpoint fix --all' : ''
  return `${first} ${counts}${next}`
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** How a session that waits for a person goes on. */
export const describeApproval = (session: string): string =>
  `Decide: fixpoint approve ${session}, or fixpoint reject ${session} --reason TEXT`

/** What a list of issues was narrowed by, and how many of them a page holds. */
export interface PageOptions {
  readonly status?: string
  readonly severity?: string
  readonly review?: string
  readonly search?: string
  readonly limit: string
}

/** A page of issues for people, and how to see the next one. */
export function describePage(
  { issues, nextCursor }: IssuePage,
  options: PageOptions,
  output: Output,
): string {
  const table = issueTable(issues, output)
  return nextCursor ? `${table}\n\nMore: ${nextPage(options, nextCursor)}` : table
}

/** The same list from there on, ready to be pasted into a shell. */
function nextPage({ status, severity, review, search, limit }: PageOptions, cursor: string): string {
  const flags = Object.entries({ status, severity, review, search, limit, cursor })
  const words = flags.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, quoted(value)]))
  return ['fixpoint issues list', ...words].join(' ')
}

/** A word of a command that can be pasted into a shell. */
export const quoted = (text: string): string =>
  /^[\w,.:/=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** Issues as a table for people. */
export function issueTable(issues: readonly Issue[], output: Output): string {
  const codeWidth = Math.max(4, ...issues.map(({ code }) => code.length))
  const places = issues.map(placeOf)
  const placeWidth = Math.min(48, Math.max(5, ...places.map((place) => place.length)))
  return issues
    .map((issue, index) =>
      [
        output.paint('bold', issue.code.padEnd(codeWidth)),
        severityPaint(output, issue),
        issue.status.padEnd(11),
        endOf(places[index] ?? '', placeWidth).padEnd(placeWidth),
        oneLine(issue.title, 90),
      ].join('  '),
    )
    .join('\n')
}

/** The end of a long place is what tells it from others: the file and the line. */
function endOf(place: string, width: number): string {
  const line = oneLine(place, place.length)
  return line.length <= width ? line : `…${line.slice(1 - width)}`
}

const severityPaint = (output: Output, { severity }: Issue): string =>
  output.paint(severity === 'critical' ? 'red' : severity === 'major' ? 'yellow' : 'dim', severity.padEnd(8))

export const placeOf = ({ file, line }: Pick<Issue, 'file' | 'line'>): string =>
  file ? `${file}${line ? `:${line}` : ''}` : '(no place)'

type Result = FixOutcome['result']

/** The session's ledger, and where to read more. */
export const describeResult = (result: Result, output: Output): string =>
  result.issues_requested === 0
    ? 'Nothing to fix: no session was made.'
    : [
        ...(result.earlier ? [describeEarlier(result), ''] : []),
        describeLedger(result, output),
        result.branch_name
          ? `Branch ${result.branch_name}: git log -p ${result.branch_name}`
          : 'No branch was made: nothing landed.',
        ...result.warnings.map((warning) => `Warning: ${wholeText(warning, '  ')}`),
        ...(result.base_moved ? [describeBaseMove(result.base_moved, result.branch_name)] : []),
        `Report: fixpoint sessions report ${result.session_id}`,
        ...describeWayOn(result),
      ].join('\n')

const describeEarlier = ({ session_id: id, branch_name: branch }: Result): string =>
  `This is an earlier result, of ${id}: the same issues were fixed from the same base within the hour${branch === null ? '' : `, on ${branch}`}. Nothing was run now; --force starts anew.`

/** All of a text, its further lines under the first. */
const wholeText = (text: string, indent: string): string =>
  printable(text)
    .trim()
    .replaceAll(/\s*\n\s*/g, `\n${indent}`)

/** What a person can do next with a session that has not ended. */
export function describeWayOn({ session_id: id, status, resumable }: Result): readonly string[] {
  if (status === 'awaiting_approval') return [describeApproval(id)]
  return resumable ? [`Go on: fixpoint resume ${id}`] : []
}

function describeBaseMove(
  { branch, from, to, reason }: NonNullable<Result['base_moved']>,
  made: string | null,
): string {
  const moved = `${branch} moved from ${from.slice(0, 10)} to ${to.slice(0, 10)} meanwhile`
  if (made === null) return `${moved}; fixpoint fix starts from there the next time.`
  return `${moved}; ${made} is based on ${from.slice(0, 10)}; ${oneLine(reason, 200)}.\nTo bring it up to date: git rebase ${branch} ${made}, or run fixpoint fix again.`
}

/** So many issues are named of those that one reason ended, and the last of them. */
const namedOfRun = 8

/** One line per issue with its proof, the reason of everything that did not land, and the sums. */
export function describeLedger(result: Result, output: Output): string {
  const { results } = result
  const isTold = results.map((issue, index) => isToldBelow(issue, results[index + 1]))
  const lines = results.flatMap((issue, index) => {
    const before = isTold.lastIndexOf(false, index - 1)
    const inRun = index === 0 ? 0 : index - before - 1
    if (isTold[index] && inRun >= namedOfRun) return []
    const hidden = isTold[index] ? 0 : inRun - namedOfRun
    const isFixed = issue.outcome === 'fixed'
    const mark = output.paint(isFixed ? 'green' : 'red', isFixed ? '✓' : '✗')
    const head = `${mark} ${issue.issue_code.padEnd(8)} ${(issue.outcome ?? 'not finished').padEnd(13)}`
    const proof = isFixed
      ? `${issue.commit_sha?.slice(0, 10) ?? ''}  ${issue.evidence ?? ''}${issue.challenged ? `  challenge ${issue.fix_challenger_score ?? ''}` : '  not challenged'}`
      : wholeText(issue.reason ?? '', '    ')
    const why = isFixed ? proof : `${proof}${failingOutput(issue)}`
    const line = `${head} ${oneLine(issue.title ?? '', 60)}${isTold[index] ? '' : `\n    ${why}`}`
    return hidden > 0 ? [`  … and ${hidden} more, up to`, line] : [line]
  })
  const counts = `${result.issues_fixed} fixed, ${result.issues_failed} failed, ${result.issues_skipped} skipped of ${result.issues_requested}`
  const seconds = (result.duration_ms / 1000).toFixed(1)
  return [
    ...lines,
    '',
    `${counts} in ${seconds} s, ${plural(result.verifications_run, 'tree')} verified, $${result.cost_usd.toFixed(2)}; ${result.sandbox}`,
  ].join('\n')
}

type IssueResult = SessionResult['results'][number]

/** What stopped a whole session is the reason of each of its issues: it stands once, under the last of them. */
const isToldBelow = ({ outcome, reason, rounds }: IssueResult, next: IssueResult | undefined): boolean =>
  outcome !== 'fixed' &&
  rounds.length === 0 &&
  next?.rounds.length === 0 &&
  next.outcome === outcome &&
  next.reason === reason

/** The useful end of the failing command, under the issue that it refused. */
function failingOutput(issue: IssueResult): string {
  const failing = issue.rounds
    .flatMap((round) => round.verification?.commands ?? [])
    .findLast((command) => command.status === 'failed')
  if (!failing) return ''
  const useful = printable(failing.output)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => /not ok|✖|fail|error|expected|actual|assert|[+-] /i.test(line))
    .slice(0, 6)
  return useful.map((line) => `\n    | ${oneLine(line, 140)}`).join('')
}

/** One event on one line, for people. */
export function eventLine(event: FixEvent): string {
  const who = event.issue_code ? `  ${event.issue_code}` : ''
  const round = event.round === null ? '' : ` round ${event.round}`
  return `${event.timestamp}  ${event.type}${who}${round}  ${oneLine(event.message, 300)}`
}
