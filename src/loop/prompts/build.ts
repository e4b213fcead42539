import type { Feedback } from '../../model/agent/agent.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import { codeWord, own, type Own } from '../own-text.ts'
import { clarifierContract, fixerContract, plannerContract } from './contracts.ts'
import { fitSections, type Section } from './fit.ts'
import { refusalSections, roundsSections, workspaceSection, type LastRound } from './rounds.ts'
import { fixerRules, readerRules } from './rules.ts'
import {
  answerSection,
  clarificationsSection,
  codeSection,
  commandsSection,
  conventionsSection,
  fixed,
  groupSection,
  guidelineSection,
  issueSections,
  notesSection,
  planSection,
  unreadableSection,
  type Convention,
} from './sections.ts'
import type { PromptTexts } from '../prompt-texts.ts'

export type { Convention } from './sections.ts'

/** Everything a fixer is told. The issue's code as it is now comes with it, not the whole file. */
export interface FixerPrompt {
  readonly texts: PromptTexts
  readonly issue: Issue
  readonly code: string | null
  /** The other issues that are fixed at the same time. */
  readonly others: readonly Issue[]
  readonly conventions: readonly Convention[]
  readonly commands: readonly CheckCommand[]
  readonly feedback: readonly Feedback[]
  /** Null in the first round. */
  readonly last: LastRound | null
  readonly notes: string | null
}

/** To an agent that knows nothing yet. */
export function fixerPrompt(given: FixerPrompt): Own {
  const { issue, texts, feedback, last } = given
  return fitSections([
    fixed(feedback.length > 0 ? texts.re_fixer : texts.fixer_single),
    fixed(fixerRules),
    guidelineSection(texts, [issue]),
    conventionsSection(given.conventions),
    ...issueSections(issue, given.code),
    groupSection(issue, given.others),
    planSection(issue.plan),
    notesSection(given.notes),
    commandsSection(given.commands),
    ...roundsSections(feedback, last),
    answerSection(fixerContract(issue.code)),
  ])
}

/** For the agent whose own conversation goes on: only what it does not know, and what a person may have said since. */
export function continuedPrompt({ texts, issue, code, feedback, last }: FixerPrompt): Own {
  return fitSections([
    fixed(feedback.length > 1 ? own`Your change was refused again.` : texts.re_fixer),
    fixed(
      own`All that you were told before still holds: the problem, the rules, the notes and the commands.`,
    ),
    ...refusalSections(feedback.slice(-1)),
    last && workspaceSection(last.left === 'all' ? { ...last, held: null } : last),
    last?.left === 'all' ? null : codeSection(issue, code),
    clarificationsSection(issue.clarifications.filter(({ assumed }) => !assumed)),
    answerSection(
      own`Answer for ${codeWord(issue.code)} in the same form as before: one JSON object as the last thing you print.`,
    ),
  ])
}

/** What the fixer reads before it fixes: every issue, with its code and what was answered so far. */
export interface PreparationPrompt {
  readonly texts: PromptTexts
  readonly issues: readonly { readonly issue: Issue; readonly code: string | null }[]
  readonly conventions: readonly Convention[]
  readonly notes: string | null
  readonly commands: readonly CheckCommand[]
  /** Why the last answer to the same question could not be read. */
  readonly unreadable: string | null
}

/** For the clarifier whose own conversation goes on: the answers since. */
export const answeredPrompt = ({ issues }: PreparationPrompt): Own =>
  fitSections([
    fixed(
      own`Your questions were answered. All that you were told before still holds; these are the answers so far:`,
    ),
    ...issues.flatMap(({ issue }) => {
      const answers = clarificationsSection(issue.clarifications)
      return answers ? [fixed(own`# ${codeWord(issue.code)}`), answers] : []
    }),
    answerSection(clarifierContract),
  ])

export const clarifierPrompt = (given: PreparationPrompt): Own =>
  preparationPrompt(given, given.texts.clarifier, [answerSection(clarifierContract)])

export const plannerPrompt = (given: PreparationPrompt): Own =>
  preparationPrompt(given, given.texts.planner, [
    commandsSection(given.commands),
    answerSection(plannerContract),
  ])

const preparationPrompt = (given: PreparationPrompt, role: Own, end: readonly Section[]): Own =>
  fitSections([
    fixed(role),
    fixed(readerRules),
    conventionsSection(given.conventions),
    ...given.issues.flatMap(({ issue, code }) => issueSections(issue, code, 'planner')),
    notesSection(given.notes),
    unreadableSection(given.unreadable),
    ...end,
  ])
