import { vetoOf, type Challenge } from '../proof/challenge.ts'
import type { CommandResult, Verification } from '../proof/verification.ts'

/** The failing commands as the fixer should read them: what ran, how it ended, and the useful end of what it printed. */
export function verificationFeedback(verification: Verification): string {
  const bad = verification.commands.filter((command) => command.status !== 'passed')
  return bad.length > 0 ? bad.map(describeCommand).join('\n\n') : verification.reason
}

function describeCommand(command: CommandResult): string {
  const exit = command.exit_code === null ? 'no exit code' : `exit code ${command.exit_code}`
  return `Verification command "${command.name}" ${command.status} (${exit}): ${command.reason}\n${command.output}`.trimEnd()
}

/** The challenger's points, complete and in its own words. */
export function challengeFeedback(challenge: Challenge): string {
  const scores = Object.entries(challenge.quality_scores ?? {}).map(([name, value]) => `${name} ${value}`)
  const needed = challenge.improvements_needed.map((point) => `- ${point}`)
  const veto = vetoOf(challenge)
  return [
    `An independent reviewer scored the fix ${challenge.score ?? 'not at all'}${scores.length > 0 ? ` (${scores.join(', ')})` : ''}.`,
    ...(veto ? [`It is refused whatever the score: ${veto}.`] : []),
    challenge.feedback,
    ...(needed.length > 0 ? ['Improvements needed:', ...needed] : []),
  ].join('\n')
}
