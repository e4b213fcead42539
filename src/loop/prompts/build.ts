import type { Feedback } from '../../model/agent/agent.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import { data, own, word, type Own } from '../own-text.ts'
import { clarifierContract, fixerContract, plannerContract } from './contracts.ts'
import { fitSections, type Section } from './fit.ts'
import { fixerRules, readerRules } from './rules.ts'
import {
  answerSection,
  commandsSection,
  conventionsSection,
  fixed,
  guidelineSection,
  issueSections,
  notesSection,
  planSection,
  type Convention,
} from './sections.ts'
import type { PromptTexts } from '../prompt-texts.ts'

export type { Convention } from './sections.ts'

const maxDiff = 60_000

/** Everything a fixer is told. The issue's code as it is now comes with it, not the whole file. */
export interface FixerPrompt {
  readonly texts: PromptTexts
  readonly issue: Issue
  readonly code: string | null
  readonly conventions: readonly Convention[]
  readonly commands: readonly CheckCommand[]
  readonly feedback: readonly Feedback[]
  readonly lastDiff: string | null
  readonly notes: string | null
}

export function fixerPrompt(given: FixerPrompt): Own {
  const { issue, texts, feedback } = given
  return fitSections([
    fixed(feedback.length > 0 ? texts.re_fixer : texts.fixer_single),
    fixed(fixerRules),
    guidelineSection(texts, [issue]),
    conventionsSection(given.conventions),
    ...issueSections(issue, given.code),
    planSection(issue.plan),
    notesSection(given.notes),
    commandsSection(given.commands),
    ...feedbackSections(feedback, given.lastDiff),
    answerSection(fixerContract(issue.code)),
  ])
}

/** Old rounds are the first to be given up; the last one, and what it changed, always stay. */
function feedbackSections(
  feedback: readonly Feedback[],
  lastDiff: string | null,
): readonly (Section | null)[] {
  if (feedback.length === 0) return []
  const said = feedback.map(
    ({ round, stage, text }) => own`Round ${round} was refused at ${word(stage)}:\n\n${data('text', text)}`,
  )
  const old = said.slice(0, -1).map((text, index) => ({
    text,
    giveUp: 1,
    shorter: own`Round ${feedback[index]?.round ?? 0} was refused at ${word(feedback[index]?.stage ?? '')}.`,
  }))
  return [
    fixed(own`## Earlier rounds`),
    ...old,
    fixed(said.at(-1) ?? own``),
    lastDiff ? fixed(own`What the last round changed:\n\n${data('diff', lastDiff, maxDiff)}`) : null,
  ]
}

/** What the fixer reads before it fixes: every issue, with its code and what was answered so far. */
export interface PreparationPrompt {
  readonly texts: PromptTexts
  readonly issues: readonly { readonly issue: Issue; readonly code: string | null }[]
  readonly conventions: readonly Convention[]
  readonly notes: string | null
}

export const clarifierPrompt = (given: PreparationPrompt): Own =>
  preparationPrompt(given, given.texts.clarifier, clarifierContract)

export const plannerPrompt = (given: PreparationPrompt): Own =>
  preparationPrompt(given, given.texts.planner, plannerContract)

const preparationPrompt = (given: PreparationPrompt, role: Own, contract: Own): Own =>
  fitSections([
    fixed(role),
    fixed(readerRules),
    conventionsSection(given.conventions),
    ...given.issues.flatMap(({ issue, code }) => issueSections(issue, code)),
    notesSection(given.notes),
    answerSection(contract),
  ])
