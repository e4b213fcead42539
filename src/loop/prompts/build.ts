import type { Feedback } from '../../model/agent/agent.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { CheckCommand, Verification } from '../../model/proof/verification.ts'
import { challengerContract, clarifierContract, fixerContract, plannerContract } from './contracts.ts'
import { fitSections, type Section } from './fit.ts'
import { challengerRules, fixerRules, readerRules } from './rules.ts'
import {
  answerSection,
  codeSection,
  commandsSection,
  conventionsSection,
  fence,
  fixed,
  guidelineSection,
  issueSections,
  notesSection,
  planSection,
  problemSection,
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

export function fixerPrompt(given: FixerPrompt): string {
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

export interface ChallengerPrompt {
  readonly texts: PromptTexts
  readonly issue: Issue
  readonly code: string | null
  readonly diff: string
  readonly verification: Verification
}

/** What the challenger is told: the problem, the change, the checks; nothing of the fixer's own story. */
export function challengerPrompt(given: ChallengerPrompt): string {
  const { issue, texts, verification } = given
  const checks = verification.commands.map(({ name, status, reason }) => `- ${name}: ${status} (${reason})`)
  return fitSections([
    fixed(texts.fix_challenger),
    fixed(challengerRules),
    problemSection(issue),
    codeSection(issue, given.code),
    fixed(`## The change\n\n${fence('diff', given.diff.slice(0, maxDiff))}`),
    fixed([`## Verification\n\n${verification.status}: ${verification.reason}`, ...checks].join('\n')),
    answerSection(challengerContract(issue.code)),
  ])
}

/** Asked when nothing was changed because the finding is said to be wrong: whether it is, without the reason given for it. */
export function claimPrompt({
  texts,
  issue,
  code,
}: Pick<ChallengerPrompt, 'texts' | 'issue' | 'code'>): string {
  return fitSections([
    fixed(texts.fix_challenger),
    fixed(challengerRules),
    problemSection(issue),
    codeSection(issue, code),
    fixed(
      '## The claim\n\nNothing was changed. The claim is that this finding is a false positive: the code is right as it is. Look into the code yourself. Score how sure you are that the claim is true: 100 when the code is certainly right, 0 when the finding is certainly right. Use the same number for all four quality scores.',
    ),
    answerSection(challengerContract(issue.code)),
  ])
}

/** Old rounds are the first to be given up; the last one, and what it changed, always stay. */
function feedbackSections(
  feedback: readonly Feedback[],
  lastDiff: string | null,
): readonly (Section | null)[] {
  if (feedback.length === 0) return []
  const said = feedback.map(
    ({ round, stage, text }) => `Round ${round} was refused at ${stage}:\n\n${fence('text', text)}`,
  )
  const old = said.slice(0, -1).map((text, index) => ({
    text,
    giveUp: 1,
    shorter: `Round ${feedback[index]?.round ?? 0} was refused at ${feedback[index]?.stage ?? ''}.`,
  }))
  return [
    fixed('## Earlier rounds'),
    ...old,
    fixed(said.at(-1) ?? ''),
    lastDiff ? fixed(`What the last round changed:\n\n${fence('diff', lastDiff.slice(0, maxDiff))}`) : null,
  ]
}

/** What the fixer reads before it fixes: every issue, with its code and what was answered so far. */
export interface PreparationPrompt {
  readonly texts: PromptTexts
  readonly issues: readonly { readonly issue: Issue; readonly code: string | null }[]
  readonly conventions: readonly Convention[]
  readonly notes: string | null
}

export const clarifierPrompt = (given: PreparationPrompt): string =>
  preparationPrompt(given, given.texts.clarifier, clarifierContract)

export const plannerPrompt = (given: PreparationPrompt): string =>
  preparationPrompt(given, given.texts.planner, plannerContract)

const preparationPrompt = (given: PreparationPrompt, role: string, contract: string): string =>
  fitSections([
    fixed(role),
    fixed(readerRules),
    conventionsSection(given.conventions),
    ...given.issues.flatMap(({ issue, code }) => issueSections(issue, code)),
    notesSection(given.notes),
    answerSection(contract),
  ])
