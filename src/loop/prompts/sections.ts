import type { Clarification, Issue, IssuePlan } from '../../model/issue/issue.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import {
  codeWord,
  data,
  guidance,
  inline,
  inlineList,
  joinOwn,
  own,
  personsWords,
  word,
  type Own,
} from '../own-text.ts'
import type { PromptTexts } from '../prompt-texts.ts'
import { numberedExcerpt } from './excerpt.ts'
import type { Section } from './fit.ts'

export interface Convention {
  readonly path: string
  readonly text: string
}

const maxConvention = 8_000
const shortConvention = 1_000
const maxCommand = 2_000
/** In the order in which they are given up: old rounds, conventions, the excerpt. */
const giveUpConventions = 2
const giveUpExcerpt = 3

/** A part that always stays as it is. */
export const fixed = (text: Own): Section => ({ text })

export const paragraphs = (...parts: readonly (Own | false | null)[]): Own =>
  joinOwn(
    parts.filter((part) => part !== false && part !== null),
    own`\n\n`,
  )

export const lines = (...parts: readonly Own[]): Own => joinOwn(parts, own`\n`)

/** Who reads about a problem: only a fixer may use what was suggested. */
type Reader = 'fixer' | 'judge' | 'planner'

export function problemSection(issue: Issue, reader: Reader = 'fixer'): Section {
  const { file, rule, suggested_fix: suggested, references } = issue
  const facts = [
    own`Code: ${codeWord(issue.code)}`,
    own`Place: ${file ? placeOf(file, issue) : own`the repository as a whole`}`,
    own`Severity: ${word(issue.severity)}`,
    own`Category: ${inline(issue.category)}`,
    ...(issue.group ? [own`Group: ${inline(issue.group)}`] : []),
    ...(rule ? [own`Rule: ${inline(rule)}`] : []),
    own`Reported by: ${inlineList(issue.flagged_by)}`,
  ]
  return fixed(
    paragraphs(
      own`## The problem`,
      lines(...facts),
      data('text', `${issue.title}\n\n${issue.description}`),
      suggested
        ? own`${reader === 'fixer' ? own`Suggested fix (check it before you use it):` : own`Suggested with the finding:`}\n\n${data('text', suggested)}`
        : null,
      references.length > 0 && own`References:\n\n${data('text', references.join('\n'))}`,
    ),
  )
}

function placeOf(file: string, { line, end_line: end }: Issue): Own {
  if (!line) return inline(file)
  return end && end !== line ? own`${inline(file)}, lines ${line}-${end}` : own`${inline(file)}, line ${line}`
}

export function codeSection(issue: Issue, code: string | null): Section | null {
  if (code === null || !issue.file) return null
  const intro = own`## The code now\n\n${inline(issue.file)}, flagged lines marked with ">":`
  return excerptSection(intro, (around) => numberedExcerpt(code, issue, around))
}

/** An excerpt that becomes smaller where the prompt is too long. */
export function excerptSection(intro: Own, excerpt: (around?: number) => string): Section {
  const show = (around?: number): Own => paragraphs(intro, data('text', excerpt(around)))
  return { text: show(), giveUp: giveUpExcerpt, shorter: show(3) }
}

export function conventionsSection(conventions: readonly Convention[]): Section | null {
  if (conventions.length === 0) return null
  const show = (length: number): Own =>
    paragraphs(
      own`## Conventions of this project`,
      ...conventions.map(({ path, text }) => own`From ${inline(path)}:\n\n${guidance(text, length)}`),
    )
  return { text: show(maxConvention), giveUp: giveUpConventions, shorter: show(shortConvention) }
}

/** The guideline of each class that occurs, and the principles that hold for all. */
export function guidelineSection(texts: PromptTexts, issues: readonly Pick<Issue, 'class'>[]): Section {
  const classes = new Set(issues.map((issue) => issue.class))
  return fixed(
    paragraphs(
      own`## Guidelines`,
      texts.engineering_principles,
      classes.has('BE') && texts.dev_be,
      classes.has('FE') && texts.dev_fe,
    ),
  )
}

const mostOfGroup = 20

/** The reviewer's other findings on the same topic, so that the fixer knows what is not its own. */
export function groupSection(issue: Issue, others: readonly Issue[]): Section | null {
  const isOfGroup = ({ id, group, task_id }: Issue): boolean =>
    id !== issue.id && group === issue.group && task_id === issue.task_id
  const related = issue.group ? others.filter(isOfGroup).slice(0, mostOfGroup) : []
  if (related.length === 0) return null
  const listed = related.map(
    ({ code, file, title }) =>
      own`- ${codeWord(code)}${file ? own`, ${inline(file)}` : own``}: ${inline(title)}`,
  )
  return fixed(
    paragraphs(
      own`## The rest of its group`,
      own`The same reviewer found these on the same topic. Each is fixed by itself: leave them alone here.`,
      lines(...listed),
    ),
  )
}

/** Questions and assumptions are an agent's words, answers are the person's. */
export function clarificationsSection(clarifications: readonly Clarification[]): Section | null {
  const answered = clarifications.flatMap(({ question, answer, assumed }) =>
    answer === null
      ? []
      : [
          own`Question:\n\n${data('text', question)}`,
          assumed
            ? own`Nobody answered. Assumed:\n\n${guidance(answer)}`
            : own`The person who asked for the fix answered:\n\n${personsWords(answer)}`,
        ],
  )
  return answered.length === 0 ? null : fixed(paragraphs(own`## Clarifications`, ...answered))
}

export function planSection(plan: IssuePlan | null): Section | null {
  if (!plan) return null
  const planned = [
    plan.approach,
    ...plan.steps.map((step, index) => `${index + 1}. ${step}`),
    ...(plan.risks.length > 0 ? ['Risks:', ...plan.risks.map((risk) => `- ${risk}`)] : []),
    ...(plan.verification ? [`Done when: ${plan.verification}`] : []),
  ]
  return fixed(own`## Plan\n\n${guidance(planned.join('\n'))}`)
}

/** What everyone who works on an issue is told of it. */
export const issueSections = (
  issue: Issue,
  code: string | null,
  reader: Reader = 'fixer',
): readonly (Section | null)[] => [
  problemSection(issue, reader),
  codeSection(issue, code),
  clarificationsSection(issue.clarifications),
]

export const commandsSection = (commands: readonly CheckCommand[]): Section =>
  fixed(
    paragraphs(
      own`## Verification commands`,
      commands.length === 0
        ? own`None are configured.`
        : lines(...commands.map(({ name, run }) => own`- ${inline(name)}: ${inline(run, maxCommand)}`)),
    ),
  )

export const notesSection = (notes: string | null): Section | null =>
  notes === null || notes === ''
    ? null
    : fixed(own`## Notes from the person who asked\n\n${personsWords(notes)}`)

/** An agent that is asked the same once more is told why. */
export const unreadableSection = (why: string | null): Section | null =>
  why === null ? null : fixed(own`Your last answer could not be read: ${inline(why)}`)

export const answerSection = (contract: Own): Section => fixed(own`## Your answer\n\n${contract}`)
