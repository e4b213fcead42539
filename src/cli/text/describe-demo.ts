import { testsAgainst } from '../../app/demo/judge-demo.ts'
import type { SessionResult } from '../../model/session/session-result.ts'
import type { Output } from '../command/output.ts'
import { oneLine, printable } from '../../client/printable.ts'

export interface PlayedDemo {
  readonly session: SessionResult
  /** The commits of the branch, newest first. */
  readonly log: readonly string[]
  readonly seconds: number
  /** How to call Fixpoint from this shell. */
  readonly command: string
}

type IssueResult = SessionResult['results'][number]

/** The end of the demo for somebody who sees Fixpoint for the first time: the ledger, the branch, what to try next. */
export function describeDemo({ session, log, seconds, command }: PlayedDemo, output: Output): string {
  const bold = (text: string): string => output.paint('bold', text)
  const { results, verifications_run } = session
  const landed = results.filter(isLanded)
  return [
    '',
    `${bold('Result')}  ${landed.length} of ${results.length} landed. The tests ran on ${verifications_run} versions of the shop.`,
    ...landed.map((issue) => landedLine(issue, output)),
    ...results.filter((issue) => !isLanded(issue)).flatMap((issue) => otherLines(issue, output)),
    output.paint(
      'dim',
      'E1: tests green. E2: and the rule that found it is silent now. Score: of a second look, up to 100.',
    ),
    '',
    ...(session.branch_name
      ? [`${bold('Branch')}  git log --oneline main..${session.branch_name}`, ...log]
      : []),
    ...exampleLines(landed.at(-1), output),
    '',
    `${bold('Done')}  ${seconds} s in all; no key, no service, no network. In a repository of your own, write its settings,`,
    'find problems, fix them on a branch of their own, and see all of it in the browser:',
    // Without comments: a shell that does not know them at its prompt takes their words as arguments.
    ...['init', 'review', 'fix --all', 'serve --open'].map((step) => `  ${command} ${step}`),
  ].join('\n')
}

const isLanded = ({ outcome }: IssueResult): boolean => outcome === 'fixed'

function landedLine(
  { issue_code, title, evidence, fix_challenger_score }: IssueResult,
  output: Output,
): string {
  const proof = `${evidence ?? ''}  score ${fix_challenger_score ?? 'none'}`
  return `${output.paint('green', '✓')} ${issue_code}  ${oneLine(title ?? '', 48).padEnd(48)}  ${proof}`
}

/** The trailers of one commit. */
function exampleLines(issue: IssueResult | undefined, output: Output): readonly string[] {
  const trailers = issue?.commit_message?.split('\n\n').at(-1)?.split('\n') ?? []
  if (trailers.length === 0) return []
  return [
    'Each commit says what it rests on, such as:',
    ...trailers.map((line) => output.paint('dim', `  ${printable(line)}`)),
  ]
}

/** What did not land, why, and the very words of the tests where they refused it. */
function otherLines(issue: IssueResult, output: Output): readonly string[] {
  const said = testsAgainst(issue)
  const head = `${output.paint('red', '✗')} ${issue.issue_code}  ${oneLine(issue.title ?? '', 60)}`
  if (said === null)
    return [head, `    ${issue.outcome ?? 'not finished'}: ${oneLine(issue.reason ?? '', 240)}`]
  const diff = issue.rounds.at(-1)?.diff ?? ''
  return [
    head,
    '    refused: right by its rule, but a test that was green fails with it:',
    ...changedLines(diff).map(
      (line) => `    ${output.paint(line.startsWith('+') ? 'green' : 'red', oneLine(line, 100))}`,
    ),
    ...failingLines(said).map((line) => `    | ${line}`),
  ]
}

const changedLines = (diff: string): readonly string[] =>
  diff
    .split('\n')
    .filter((line) => /^[+-](?![+-]{2} )/.test(line))
    .slice(0, 4)

/** The failing test and its error, as every version of Node prints them, each once. */
function failingLines(said: string): readonly string[] {
  const useful = printable(said)
    .split('\n')
    .map((line) => oneLine(line.replace(/\(\d+\.\d+ms\)\s*$/, ''), 120))
    .filter((line) => /^(?:not ok|✖ (?!failing tests)|error:|\[?\w*Error\b)/.test(line))
  return [...new Set(useful)].slice(0, 4)
}
