import { vetoOf, type Challenge } from '../proof/challenge.ts'
import type { Round } from './round.ts'
import type { CommandResult, FailingTest, Verification } from '../proof/verification.ts'

const mostTests = 10
const mostNames = 30

/** The failing commands as the fixer should read them: the tests that fail, with what they said, then the end of the output. */
export function verificationFeedback(verification: Verification): string {
  const bad = verification.commands.filter((command) => command.status !== 'passed')
  return bad.length > 0 ? bad.map(describeCommand).join('\n\n') : verification.reason
}

function describeCommand(command: CommandResult): string {
  const { name, status, reason, exit_code, failing = [], end, output } = command
  const exit = exit_code === null ? 'no exit code' : `exit code ${exit_code}`
  const tests = failing.filter(({ is_new }) => is_new)
  const printed = (end === undefined ? output : withoutTold(end, tests.slice(0, mostTests))).trim()
  return [
    `Verification command "${name}" ${status} (${exit}): ${reason}`,
    ...describeTests(tests, 'Failing tests'),
    ...describeTests(
      failing.filter(({ is_new }) => !is_new),
      'Failing before the fix too',
    ),
    ...(printed === '' ? [] : [end === undefined ? printed : `The end of its output:\n${printed}`]),
  ].join('\n\n')
}

/** The output without the lines that the failing tests have told already, one for one. */
function withoutTold(text: string, tests: readonly FailingTest[]): string {
  const told = tests.flatMap(({ message }) => message.split('\n')).map((line) => line.trim())
  return text
    .split('\n')
    .filter((line) => {
      const at = line.trim() === '' ? -1 : told.indexOf(line.trim())
      if (at !== -1) told.splice(at, 1)
      return at === -1
    })
    .join('\n')
    .replaceAll(/\n\s*\n\s*\n/g, '\n\n')
}

function describeTests(tests: readonly FailingTest[], title: string): readonly string[] {
  if (tests.length === 0) return []
  if (!tests.some(({ is_new }) => is_new)) return [`${title}: ${listed(tests)}`]
  const shown = tests.slice(0, mostTests).map(({ name, message }) => `- ${name}${indent(message)}`)
  const left = tests.slice(mostTests)
  return [`${title}:`, ...shown, ...(left.length > 0 ? [`And ${left.length} more: ${listed(left)}`] : [])]
}

const indent = (message: string): string =>
  message === '' ? '' : `\n${message.replaceAll(/^(?=.)/gm, '    ')}`

function listed(tests: readonly FailingTest[]): string {
  const names = tests.slice(0, mostNames).map(({ name }) => name)
  return tests.length > mostNames
    ? `${names.join(', ')} and ${tests.length - mostNames} more`
    : names.join(', ')
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

/** Why a challenge refused a fix: the score, or what counts whatever the score is. */
export function whyRefused(challenge: Challenge, threshold: number): string {
  const score = challenge.score ?? 0
  return score < threshold
    ? `score ${score} is below ${threshold}`
    : `score ${score}, but ${vetoOf(challenge) ?? 'it was refused'}`
}

/** Why a tree that was refused before is not looked at again. */
export const repeatReason = (seen: Round): string =>
  seen.no_changes
    ? 'no changes applied: the fixer changed nothing again'
    : `no progress: the fixer came back with the tree that was refused in round ${seen.round} (${seen.refusal ?? ''})`
