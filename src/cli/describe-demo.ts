import { testsAgainst } from '../app/demo/judge-demo.ts'
import type { SessionResult } from '../model/session-result.ts'
import type { Output } from './output.ts'
import { oneLine, printable } from './printable.ts'

export interface PlayedDemo {
  readonly session: SessionResult
  /** The commits of the branch, newest first. */
  readonly log: readonly string[]
  readonly seconds: number
}

type IssueResult = SessionResult['results'][number]

/** The end of the demo for somebody who sees Fixpoint for the first time: the ledger, the branch, what to try next. */
export function describeDemo({ session, log, seconds }: PlayedDemo, output: Output): string {
  const { results, branch_name, verifications_run } = session
  const [landed, others] = [results.filter(isLanded), results.filter((issue) => !isLanded(issue))]
  const example = landed.at(-1)?.commit_message?.split('\n\n').at(-1)?.split('\n') ?? []
  return [
    '',
    `${output.paint('bold', 'Result')}  ${landed.length} of ${results.length} are proven and landed; ${verifications_run} versions of the shop were tested for it.`,
    ...landed.map((issue) => landedLine(issue, output)),
    ...others.flatMap((issue) => otherLines(issue, output)),
    '',
    `${output.paint('bold', 'Branch')}  git log main..${branch_name ?? ''}`,
    ...log,
    ...(example.length > 0 ? ['Each commit carries its proof, such as:', ...example.map((line) => dim(`  ${line}`, output))] : []),
    '',
    `${output.paint('bold', 'Done')}  ${seconds} s in all; no key, no service, no network. On a repository of your own:`,
    '  fixpoint init        look at it and write fixpoint.yaml',
    '  fixpoint review      find problems',
    '  fixpoint fix --all   fix them, on a branch of their own',
  ].join('\n')
}

const isLanded = ({ outcome }: IssueResult): boolean => outcome === 'fixed'

const proofs: Readonly<Record<string, string>> = { E1: 'tests green', E2: 'tests green, rule silent' }

function landedLine({ issue_code, title, evidence, fix_challenger_score }: IssueResult, output: Output): string {
  const proof = `${proofs[evidence ?? ''] ?? ''} (${evidence ?? ''}), second look ${fix_challenger_score ?? 'not taken'}`
  return `${output.paint('green', '✓')} ${issue_code}  ${oneLine(title ?? '', 36).padEnd(36)}  ${dim(proof, output)}`
}

/** What did not land, why, and the very words of the tests where they refused it. */
function otherLines(issue: IssueResult, output: Output): readonly string[] {
  const said = testsAgainst(issue)
  const head = `${output.paint('red', '✗')} ${issue.issue_code}  ${oneLine(issue.title ?? '', 60)}`
  if (said === null) return [head, `    ${issue.outcome ?? 'not finished'}: ${oneLine(issue.reason ?? '', 130)}`]
  const diff = issue.rounds.at(-1)?.diff ?? ''
  return [
    head,
    '    refused: right by its rule, but a test that was green fails with it:',
    ...changedLines(diff).map((line) => `    ${output.paint(line.startsWith('+') ? 'green' : 'red', oneLine(line, 100))}`),
    ...failingLines(said).map((line) => `    | ${line}`),
  ]
}

const changedLines = (diff: string): readonly string[] =>
  diff.split('\n').filter((line) => /^[+-](?![+-]{2} )/.test(line)).slice(0, 4)

/** The failing test and its error, as every version of Node prints them, each once. */
function failingLines(said: string): readonly string[] {
  const useful = printable(said)
    .split('\n')
    .map((line) => oneLine(line.replace(/\(\d+\.\d+ms\)\s*$/, ''), 120))
    .filter((line) => /^(?:not ok|✖ (?!failing tests)|error:|\[?\w*Error\b)/.test(line))
  return [...new Set(useful)].slice(0, 4)
}

const dim = (text: string, output: Output): string => output.paint('dim', text)
