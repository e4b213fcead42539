import type { Ledger } from '../../loop/ports.ts'
import { describeSelfEvaluation } from '../../model/agent/self-evaluation.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import type { IssueId } from '../../model/id.ts'
import type { Finding } from '../../model/issue/finding.ts'
import type { IssueMove } from '../../model/issue/issue-move.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { oneLine, printable } from '../../client/printable.ts'
import type { Output } from '../command/output.ts'
import { placeOf, plural } from './describe.ts'

/** The issues that an issue names by id. */
export const relatedTo = (issue: Issue): readonly IssueId[] =>
  [issue.duplicate_of, issue.regression_of, ...issue.depends_on].filter((id) => id !== null)

interface KnownIssue {
  readonly issue: Issue
  readonly ledger: Omit<Ledger, 'events'>
  /** The codes of the issues that it names by id. */
  readonly related: ReadonlyMap<string, string>
}

/** Everything about one issue: what it is, who said so, and what was tried. */
export function describeIssue({ issue, ledger, related }: KnownIssue, output: Output): string {
  const parts = [
    `${output.paint('bold', issue.code)}  ${oneLine(issue.title, 200)}`,
    factsOf(issue, related)
      .map(([name, value]) => `  ${name.padEnd(12)} ${value}`)
      .join('\n'),
    ...(issue.description === issue.title ? [] : [indent(issue.description)]),
    ...(issue.current_code === null ? [] : [`${placeOf(issue)}\n${excerpt(issue.current_code, issue.line)}`]),
    ...(issue.suggested_fix === null ? [] : [`Suggested\n${indent(issue.suggested_fix)}`]),
    ...(ledger.findings.length === 0 ? [] : [['Raised by', ...ledger.findings.map(findingLine)].join('\n')]),
    ...(issue.clarifications.length === 0
      ? []
      : [['Questions', ...issue.clarifications.map(questionText)].join('\n')]),
    ...ledger.attempts.map(attemptText),
    ...(ledger.moves.length === 0 ? [] : [['Changed by hand', ...ledger.moves.map(moveLine)].join('\n')]),
  ]
  return parts.join('\n\n')
}

function factsOf(issue: Issue, codes: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  const codeOf = (id: string | null): string => (id === null ? '' : (codes.get(id) ?? id))
  const { ignored } = issue
  const facts: readonly (readonly [string, string | null])[] = [
    ['status', issue.status],
    ['severity', `${issue.severity}${issue.severity_note ? ` (${issue.severity_note})` : ''}`],
    ['category', issue.category],
    ['rule', issue.rule],
    ['place', `${placeOf(issue)}${issue.anchor === 'exact' ? '' : ` (${issue.anchor})`}`],
    [
      'absent',
      issue.absent_since
        ? `since ${issue.absent_since}: what raised it looks at the file and raises it no longer`
        : null,
    ],
    ['priority', String(issue.priority)],
    ['ignored', ignored && `${ignored.reason}${ignored.until ? ` (until ${ignored.until})` : ''}`],
    ['duplicate of', codeOf(issue.duplicate_of)],
    ['came back', issue.regression_of && `it was ${codeOf(issue.regression_of)} before`],
    ['depends on', issue.depends_on.map(codeOf).join(', ')],
    ['note', issue.resolution_note],
    ['commit', issue.fix_commit_sha && `${issue.fix_commit_sha} on ${issue.fix_branch ?? 'no branch'}`],
    ['evidence', issue.evidence],
    ['references', issue.references.join(', ')],
    ['created', issue.created_at],
  ]
  return facts.flatMap(([name, value]) => (value ? [[name, oneLine(value, 300)] as const] : []))
}

/** The cited code with its line numbers. */
function excerpt(code: string, firstLine: number | null): string {
  const lines = printable(code).split('\n')
  const width = String((firstLine ?? 1) + lines.length).length
  return lines
    .map((line, index) => `  ${String((firstLine ?? 1) + index).padStart(width)} | ${line}`)
    .join('\n')
}

const indent = (text: string): string =>
  printable(text)
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')

const findingLine = ({ source, review_id, severity, rule, file, line, title }: Finding): string =>
  `  ${oneLine(`${source.name} (${source.kind}), ${severity}${rule ? `, ${rule}` : ''}, ${placeOf({ file, line })}: ${title}`, 160)}  ${review_id}`

/** A question with its answer; one of the engine itself, about a dispute, bears the id of an attempt, which nobody types. */
function questionText({ id, question, answer, assumed }: Issue['clarifications'][number]): string {
  const name = id.startsWith('att_') ? '' : `${id}  `
  const said =
    answer === null
      ? `no answer yet: fixpoint answer ${id} "…"`
      : `${assumed ? 'assumed' : 'answered'}: ${oneLine(answer, 300)}`
  return `  ${name}${oneLine(question, 300)}\n    ${said}`
}

const moveLine = ({ at, by, from, to, note }: IssueMove): string =>
  `  ${at}  ${from} → ${to}${by === 'engine' ? ' (its time was over)' : ''}${note ? `: ${oneLine(note, 200)}` : ''}`

function attemptText(attempt: Attempt): string {
  const settled = attempt.stage === 'settled' ? attempt : null
  const end = settled
    ? `${settled.outcome}: ${oneLine(settled.reason, 300)}`
    : `not finished (${attempt.stage})`
  const commit = settled?.commit_sha
    ? [`  commit ${settled.commit_sha}, evidence ${settled.evidence ?? 'none'}`]
    : []
  const rounds = attempt.rounds.map((round) => {
    const gates = round.gates.filter(({ status }) => status === 'failed' || status === 'not_evaluated')
    const blocking = gates.map(
      ({ name, status, reason }) => `\n      ${name} ${status}: ${oneLine(reason, 200)}`,
    )
    const score = round.challenge ? `, challenge ${round.challenge.score ?? 'without a score'}` : ''
    const changes = round.no_changes ? 'no changes applied' : `${plural(round.files.length, 'file')} changed`
    return `  round ${round.round}: ${round.run.agent}, ${changes}${score}: ${oneLine(round.refusal ?? 'accepted', 300)}${blocking.join('')}${selfEvaluation(round)}`
  })
  const { reproduction } = attempt
  const test = reproduction
    ? [
        `  independent test${reproduction.run ? ` by ${reproduction.run.agent}` : ''}: ${oneLine(reproduction.reason, 200)}`,
      ]
    : []
  return [`Session ${attempt.session_id}: ${end}`, ...test, ...rounds, ...commit].join('\n')
}

/** What the fixer itself thought of its work. */
function selfEvaluation({ report }: Attempt['rounds'][number]): string {
  const said = report && describeSelfEvaluation(report)
  return said ? `\n      the fixer says: ${oneLine(said, 300)}` : ''
}
