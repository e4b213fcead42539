import { describeSelfEvaluation } from '../../model/agent/self-evaluation.ts'
import { isSettled, type Attempt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Round } from '../../model/attempt/round.ts'
import type { Session } from '../../model/session/session.ts'
import { reasonNow } from '../../model/session/session-result.ts'
import type { CommandResult } from '../../model/proof/verification.ts'
import { codeFence, inlineCode, plainLine, plainText } from '../../model/markdown-text.ts'

const shownOutput = 4_000

/** The whole session for people: each issue, each of its rounds, and why it ended as it did. */
export function formatSessionReport(
  session: Session,
  attempts: readonly Attempt[],
  issues: readonly Issue[],
): string {
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  const inOrder = attempts.toSorted((a, b) => a.position - b.position)
  const facts = [
    `- Status: ${session.status}${session.reason ? ` (${plainLine(session.reason)})` : ''}`,
    `- Base: ${inlineCode(session.base.commit)}`,
    `- Branch: ${session.branch_made ? `${inlineCode(session.branch ?? '')} at ${inlineCode(session.tip.commit)}` : 'none was made'}`,
    ...(session.base_moved
      ? [
          `- Meanwhile ${plainLine(session.base_moved.branch)} moved to ${inlineCode(session.base_moved.to)}: ${plainLine(session.base_moved.reason)}`,
        ]
      : []),
    ...(session.warnings ?? []).map((warning) => `- Warning: ${plainLine(warning)}`),
    `- Agents: ${plainLine(session.options.fixer)} fixes, ${plainLine(session.options.challenger)} challenges`,
    `- Started ${session.created_at}${session.ended_at ? `, ended ${session.ended_at}` : ', not ended'}; ${session.verifications_run} ${session.verifications_run === 1 ? 'tree' : 'trees'} verified`,
  ]
  const sections = inOrder.map((attempt) => attemptSection(attempt, issueOf.get(attempt.issue_id)))
  return `${[`# Session ${session.id}`, facts.join('\n'), ...sections].join('\n\n')}\n`
}

function attemptSection(attempt: Attempt, issue: Issue | undefined): string {
  const end = isSettled(attempt)
    ? `**${attempt.outcome}**: ${plainLine(reasonNow(attempt, issue))}`
    : `**not finished**: it is at the stage "${attempt.stage}"`
  const commit =
    isSettled(attempt) && attempt.commit_sha
      ? [`Commit ${inlineCode(attempt.commit_sha)}, evidence ${attempt.evidence ?? 'none'}.`]
      : []
  const place = issue?.file ? [`In ${inlineCode(`${issue.file}${issue.line ? `:${issue.line}` : ''}`)}.`] : []
  return [
    `## ${attempt.issue_code}: ${plainLine(issue?.title ?? 'an issue that is no longer there')}`,
    end,
    ...[[...place, ...commit].join(' ')].filter(Boolean),
    ...(attempt.reproduction ? [formatReproduction(attempt.reproduction)] : []),
    ...(attempt.rounds.length === 0 ? ['No round was run.'] : attempt.rounds.map(formatRound)),
  ].join('\n\n')
}

/** What became of the test that the fixer never saw. */
function formatReproduction({ run, reason }: NonNullable<Attempt['reproduction']>): string {
  const who = run
    ? ` by ${plainLine(run.agent)}${run.cost_usd > 0 ? `, $${run.cost_usd.toFixed(2)}` : ''}`
    : ''
  return `Independent test${who}: ${plainLine(reason)}`
}

/** One round: who ran, what each gate said and why, what was changed. */
function formatRound(round: Round): string {
  const { run, report } = round
  const evaluation = report && describeSelfEvaluation(report)
  const agent = `${plainLine(run.agent)}${run.model ? ` (${plainLine(run.model)})` : ''}`
  const ended =
    run.ending.ended === 'finished' ? 'finished' : `${run.ending.kind}: ${plainLine(run.ending.message)}`
  const cost = run.cost_usd > 0 ? `, $${run.cost_usd.toFixed(2)}` : ''
  const waited = run.waited_ms ? `, after waiting ${seconds(run.waited_ms)} for its service` : ''
  return [
    `### Round ${round.round}`,
    `Agent: ${agent}, ${ended}, ${seconds(round.duration_ms)}${waited}${cost}.`,
    round.refusal === null ? 'Accepted.' : `Refused: ${plainLine(round.refusal)}`,
    ...(report
      ? [`It reported: ${report.outcome}. ${plainLine(report.changes_summary || report.explanation)}`]
      : []),
    ...(evaluation ? [`It says of its work: ${plainLine(evaluation)}.`] : []),
    ...(round.no_changes ? ['No changes applied.'] : []),
    ...(round.gates.length > 0
      ? [
          round.gates
            .map(({ name, status, reason }) => `- ${name}: ${status}: ${plainLine(reason)}`)
            .join('\n'),
        ]
      : []),
    ...(round.verification?.commands ?? []).map(formatCommand),
    ...(round.challenge ? [formatChallenge(round.challenge)] : []),
    ...(round.files_outside_finding.length > 0
      ? [`Files outside the finding: ${round.files_outside_finding.map(inlineCode).join(', ')}`]
      : []),
    ...(round.diff === '' ? [] : [codeFence(round.diff, 'diff')]),
  ].join('\n\n')
}

function formatCommand({ name, status, reason, exit_code, output, duration_ms }: CommandResult): string {
  const exit = exit_code === null ? 'no exit code' : `exit ${exit_code}`
  const head = `Command ${inlineCode(name)}: ${status} (${exit}, ${seconds(duration_ms)}): ${plainLine(reason)}`
  const tail = output.length > shownOutput ? `…${output.slice(-shownOutput)}` : output
  return status === 'passed' || tail.trim() === '' ? head : `${head}\n\n${codeFence(tail)}`
}

function formatChallenge(challenge: NonNullable<Round['challenge']>): string {
  const scores = Object.entries(challenge.quality_scores ?? {}).map(
    ([axis, score]) => `${axis.replace('_', ' ')} ${score}`,
  )
  const head = `Challenge by ${plainLine(challenge.agent)}: ${challenge.status}, score ${challenge.score ?? 'none'}`
  return [
    `${head}${scores.length > 0 ? ` (${scores.join(', ')})` : ''}.`,
    ...(challenge.feedback === '' ? [] : [plainText(challenge.feedback)]),
    ...(challenge.improvements_needed.length === 0
      ? []
      : [challenge.improvements_needed.map((point) => `- ${plainLine(point)}`).join('\n')]),
  ].join('\n\n')
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`
