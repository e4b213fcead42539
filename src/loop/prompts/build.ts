import type { Feedback } from '../../model/agent.ts'
import type { Clarification, Issue, IssuePlan } from '../../model/issue.ts'
import type { CheckCommand, Verification } from '../../model/verification.ts'
import { challengerContract, fixerContract, reviewerContract } from './contracts.ts'
import { excerptOf } from './excerpt.ts'
import { fence } from './fence.ts'
import { roles } from './roles.ts'

export interface Convention {
  readonly path: string
  readonly text: string
}

/** Everything a fixer is told. The issue's code as it is now comes with it, not the whole file. */
export interface FixerPrompt {
  readonly issue: Issue
  readonly code: string | null
  readonly conventions: readonly Convention[]
  readonly commands: readonly CheckCommand[]
  readonly feedback: readonly Feedback[]
  readonly lastDiff: string | null
  readonly notes: string | null
}

const maxConvention = 8_000
const maxDiff = 60_000

export function fixerPrompt(given: FixerPrompt): string {
  const { issue } = given
  return joinSections([
    roles.fixer,
    conventionsSection(given.conventions),
    problemSection(issue),
    codeSection(issue, given.code),
    clarificationsSection(issue.clarifications),
    planSection(issue.plan),
    given.notes && `## Notes from the person who asked\n\n${fence('text', given.notes)}`,
    commandsSection(given.commands),
    feedbackSection(given.feedback, given.lastDiff),
    `## Your answer\n\n${fixerContract(issue.code)}`,
  ])
}

export interface ChallengerPrompt {
  readonly issue: Issue
  readonly code: string | null
  readonly diff: string
  readonly verification: Verification
}

/** What the challenger is told: the problem, the change, the checks; nothing of the fixer's own story. */
export function challengerPrompt(given: ChallengerPrompt): string {
  const { issue, verification } = given
  return joinSections([
    roles.challenger,
    problemSection(issue),
    codeSection(issue, given.code),
    `## The change\n\n${fence('diff', given.diff.slice(0, maxDiff))}`,
    `## Verification\n\n${verification.status}: ${verification.reason}\n${verification.commands.map((command) => `- ${command.name}: ${command.status} (${command.reason})`).join('\n')}`,
    `## Your answer\n\n${challengerContract(issue.code)}`,
  ])
}

/** Asked when nothing was changed because the finding is said to be wrong: whether it is, without the reason given for it. */
export function claimPrompt(given: Pick<ChallengerPrompt, 'issue' | 'code'>): string {
  const { issue } = given
  return joinSections([
    roles.challenger,
    problemSection(issue),
    codeSection(issue, given.code),
    '## The claim\n\nNothing was changed. The claim is that this finding is a false positive: the code is right as it is. Look into the code yourself. Score how sure you are that the claim is true: 100 when the code is certainly right, 0 when the finding is certainly right. Use the same number for all four quality scores.',
    `## Your answer\n\n${challengerContract(issue.code)}`,
  ])
}

export function reviewerPrompt(paths: readonly string[], conventions: readonly Convention[]): string {
  const scope = paths.length > 0 ? fence('text', paths.join('\n')) : 'The whole repository.'
  return joinSections([
    roles.reviewer,
    conventionsSection(conventions),
    `## What to review\n\n${scope}`,
    `## Your answer\n\n${reviewerContract}`,
  ])
}

function problemSection(issue: Issue): string {
  const place = issue.file
    ? `${issue.file}${issue.line ? `:${lineRange(issue)}` : ''}`
    : 'the repository as a whole'
  const facts = [
    `Code: ${issue.code}`,
    `Place: ${place}`,
    `Severity: ${issue.severity}`,
    `Category: ${issue.category}`,
    ...(issue.rule ? [`Rule: ${issue.rule}`] : []),
    `Reported by: ${issue.flagged_by.join(', ')}`,
  ]
  return joinSections([
    `## The problem\n\n${facts.join('\n')}`,
    fence('text', `${issue.title}\n\n${issue.description}`),
    issue.suggested_fix &&
      `Suggested fix (check it before you use it):\n\n${fence('text', issue.suggested_fix)}`,
    issue.references.length > 0 && `References:\n${issue.references.map((link) => `- ${link}`).join('\n')}`,
  ])
}

const lineRange = (issue: Issue): string =>
  issue.end_line && issue.end_line !== issue.line ? `${issue.line}-${issue.end_line}` : String(issue.line)

const codeSection = (issue: Issue, code: string | null): string | null =>
  code === null || !issue.file
    ? null
    : `## The code now\n\n${issue.file}, flagged lines marked with ">":\n\n${fence('text', excerptOf(code, issue.line, issue.end_line))}`

const conventionsSection = (conventions: readonly Convention[]): string | null =>
  conventions.length === 0
    ? null
    : `## Conventions of this project\n\n${conventions.map(({ path, text }) => `From ${path}:\n\n${fence('text', text.slice(0, maxConvention))}`).join('\n\n')}`

function clarificationsSection(clarifications: readonly Clarification[]): string | null {
  const answered = clarifications.filter((clarification) => clarification.answer !== null)
  if (answered.length === 0) return null
  const lines = answered.map(
    ({ question, answer, assumed }) =>
      `Question: ${question}\n${assumed ? 'Assumed' : 'Answer'}: ${answer ?? ''}`,
  )
  return `## Clarifications\n\n${fence('text', lines.join('\n\n'))}`
}

const planSection = (plan: IssuePlan | null): string | null =>
  plan &&
  `## Plan\n\n${fence('text', [plan.approach, ...plan.steps.map((step, index) => `${index + 1}. ${step}`)].join('\n'))}`

const commandsSection = (commands: readonly CheckCommand[]): string =>
  commands.length === 0
    ? '## Verification commands\n\nNone are configured.'
    : `## Verification commands\n\n${commands.map(({ name, run }) => `- ${name}: \`${run}\``).join('\n')}`

function feedbackSection(feedback: readonly Feedback[], lastDiff: string | null): string | null {
  if (feedback.length === 0) return null
  const rounds = feedback.map(
    ({ round, stage, text }) => `Round ${round} was refused at ${stage}:\n\n${fence('text', text)}`,
  )
  const last = lastDiff && `What the last round changed:\n\n${fence('diff', lastDiff.slice(0, maxDiff))}`
  return joinSections([`## Earlier rounds`, ...rounds, last])
}

const joinSections = (sections: readonly (string | null | false | undefined)[]): string =>
  sections.filter(Boolean).join('\n\n')
