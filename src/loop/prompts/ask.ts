import type { Issue } from '../../model/issue/issue.ts'
import { clarifierContract, plannerContract } from './contracts.ts'
import { fitSections } from './fit.ts'
import { readerRules } from './rules.ts'
import {
  answerSection,
  conventionsSection,
  fixed,
  issueSections,
  notesSection,
  type Convention,
} from './sections.ts'
import type { PromptTexts } from './texts/index.ts'

/** What the fixer reads before it fixes: every issue, with its code and what was answered so far. */
export interface BeforehandPrompt {
  readonly texts: PromptTexts
  readonly issues: readonly { readonly issue: Issue; readonly code: string | null }[]
  readonly conventions: readonly Convention[]
  readonly notes: string | null
}

export const clarifierPrompt = (given: BeforehandPrompt): string =>
  beforehand(given, given.texts.clarifier, clarifierContract)

export const plannerPrompt = (given: BeforehandPrompt): string =>
  beforehand(given, given.texts.planner, plannerContract)

const beforehand = (given: BeforehandPrompt, role: string, contract: string): string =>
  fitSections([
    fixed(role),
    fixed(readerRules),
    conventionsSection(given.conventions),
    ...given.issues.flatMap(({ issue, code }) => issueSections(issue, code)),
    notesSection(given.notes),
    answerSection(contract),
  ])
