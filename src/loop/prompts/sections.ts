import type { Clarification, Issue, IssuePlan } from '../../model/issue/issue.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import { numberedExcerpt } from './excerpt.ts'
import type { Section } from './fit.ts'
import type { PromptTexts } from '../prompt-texts.ts'

export interface Convention {
  readonly path: string
  readonly text: string
}

const maxConvention = 8_000
const shortConvention = 1_000
/** In the order in which they are given up: old rounds, conventions, the excerpt. */
const giveUpConventions = 2
const giveUpExcerpt = 3

/** A part that always stays as it is. */
export const fixed = (text: string): Section => ({ text })

export function problemSection(issue: Issue): Section {
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
  const parts = [
    `## The problem\n\n${facts.join('\n')}`,
    fence('text', `${issue.title}\n\n${issue.description}`),
    issue.suggested_fix &&
      `Suggested fix (check it before you use it):\n\n${fence('text', issue.suggested_fix)}`,
    issue.references.length > 0 && `References:\n\n${fence('text', issue.references.join('\n'))}`,
  ]
  return fixed(parts.filter(Boolean).join('\n\n'))
}

const lineRange = (issue: Issue): string =>
  issue.end_line && issue.end_line !== issue.line ? `${issue.line}-${issue.end_line}` : String(issue.line)

export function codeSection(issue: Issue, code: string | null): Section | null {
  if (code === null || !issue.file) return null
  const intro = `## The code now\n\n${issue.file}, flagged lines marked with ">":\n\n`
  const show = (around?: number): string =>
    `${intro}${fence('text', numberedExcerpt(code, issue.line, issue.end_line, around))}`
  return { text: show(), giveUp: giveUpExcerpt, shorter: show(3) }
}

export function conventionsSection(conventions: readonly Convention[]): Section | null {
  if (conventions.length === 0) return null
  const show = (length: number): string =>
    `## Conventions of this project\n\n${conventions.map(({ path, text }) => `From ${path}:\n\n${fence('text', text.slice(0, length))}`).join('\n\n')}`
  return { text: show(maxConvention), giveUp: giveUpConventions, shorter: show(shortConvention) }
}

/** The guideline of each class that occurs, and the principles that hold for all. */
export function guidelineSection(texts: PromptTexts, issues: readonly Pick<Issue, 'class'>[]): Section {
  const classes = new Set(issues.map((issue) => issue.class))
  const parts = [
    '## Guidelines',
    texts.engineering_principles,
    classes.has('BE') && texts.dev_be,
    classes.has('FE') && texts.dev_fe,
  ]
  return fixed(parts.filter(Boolean).join('\n\n'))
}

function clarificationsSection(clarifications: readonly Clarification[]): Section | null {
  const answered = clarifications.filter((clarification) => clarification.answer !== null)
  if (answered.length === 0) return null
  const lines = answered.map(
    ({ question, answer, assumed }) =>
      `Question: ${question}\n${assumed ? 'Assumed' : 'Answer'}: ${answer ?? ''}`,
  )
  return fixed(`## Clarifications\n\n${fence('text', lines.join('\n\n'))}`)
}

export function planSection(plan: IssuePlan | null): Section | null {
  if (!plan) return null
  const lines = [
    plan.approach,
    ...plan.steps.map((step, index) => `${index + 1}. ${step}`),
    ...(plan.risks.length > 0 ? ['Risks:', ...plan.risks.map((risk) => `- ${risk}`)] : []),
    ...(plan.verification ? [`Done when: ${plan.verification}`] : []),
  ]
  return fixed(`## Plan\n\n${fence('text', lines.join('\n'))}`)
}

/** What everyone who works on an issue is told of it. */
export const issueSections = (issue: Issue, code: string | null): readonly (Section | null)[] => [
  problemSection(issue),
  codeSection(issue, code),
  clarificationsSection(issue.clarifications),
]

export const commandsSection = (commands: readonly CheckCommand[]): Section =>
  fixed(
    commands.length === 0
      ? '## Verification commands\n\nNone are configured.'
      : `## Verification commands\n\n${commands.map(({ name, run }) => `- ${name}: \`${run}\``).join('\n')}`,
  )

export const notesSection = (notes: string | null): Section | null =>
  notes === null || notes === ''
    ? null
    : fixed(`## Notes from the person who asked\n\n${fence('text', notes)}`)

export const answerSection = (contract: string): Section => fixed(`## Your answer\n\n${contract}`)

/** Puts text that comes from a repository, a finding or a tool into a fence it cannot close, so that it reads as data. */
export function fence(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${name}\n${text.replace(/\n+$/, '')}\n${ticks}`
}
