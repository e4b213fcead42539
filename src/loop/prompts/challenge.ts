import type { Issue } from '../../model/issue/issue.ts'
import { vetoBelow, weights } from '../../model/proof/challenge.ts'
import type { Verification } from '../../model/proof/verification.ts'
import { codeWord, data, inline, own, type Own } from '../own-text.ts'
import type { PromptTexts } from '../prompt-texts.ts'
import { challengerContract } from './contracts.ts'
import { changedLines, numberedExcerpt } from './excerpt.ts'
import { fitSections, type Section } from './fit.ts'
import { challengerRules } from './rules.ts'
import {
  answerSection,
  clarificationsSection,
  codeSection,
  conventionsSection,
  excerptSection,
  fixed,
  notesSection,
  paragraphs,
  problemSection,
  type Convention,
} from './sections.ts'

const maxDiff = 60_000
const maxFiles = 10_000
const maxProblem = 2_000

/** What a challenger is told of an issue, whatever it is asked about it. */
export interface ClaimPrompt {
  readonly texts: PromptTexts
  readonly issue: Issue
  /** The file of the issue as it was before anything was changed. */
  readonly code: string | null
  readonly conventions: readonly Convention[]
  readonly notes: string | null
  /** The score from which on a patch or claim is accepted. */
  readonly threshold: number
}

export interface ChallengerPrompt extends ClaimPrompt {
  /** The same file with the patch; null when the patch takes it away. */
  readonly codeAfter: string | null
  readonly diff: string
  /** All files that it changes. */
  readonly files: readonly string[]
  readonly verification: Verification
  /** The other issues that the same change is for. */
  readonly together: readonly Issue[]
}

/** What the challenger is told: the problem, the change, the checks; nothing of the fixer's own story. */
export function challengerPrompt(given: ChallengerPrompt): Own {
  const { verification } = given
  const checks = verification.commands.map(({ name, status, reason }) => `- ${name}: ${status} (${reason})`)
  const said = [`${verification.status}: ${verification.reason}`, ...checks].join('\n')
  return ask(given, [
    togetherSection(given.together),
    ...codeSections(given),
    fixed(changeText(given)),
    fixed(own`## Verification\n\n${data('text', said)}`),
  ])
}

/** The issues that land or fall with this one: without them, their part of the change would look needless. */
function togetherSection(together: readonly Issue[]): Section | null {
  if (together.length === 0) return null
  const parts = together.map(
    ({ code, file, title, description }) =>
      own`${codeWord(code)}${file ? own`, ${inline(file)}` : own``}:\n\n${data('text', `${title}\n\n${description}`, maxProblem)}`,
  )
  return fixed(
    paragraphs(
      own`## Fixed by the same change`,
      own`The change below is for these problems too, and they land or fall together. Judge here whether it solves the problem above; what it needs to solve these is not too much. Whether it solves them is asked by itself.`,
      ...parts,
    ),
  )
}

/** A change that is too long to be shown whole is told by its files too: the challenger has them all in its copy. */
function changeText({ diff, files }: ChallengerPrompt): Own {
  const isCut = diff.length > maxDiff
  return paragraphs(
    own`## The change`,
    data('diff', diff, maxDiff),
    isCut &&
      own`Read the rest in your copy. These files are changed:\n\n${data('text', files.join('\n'), maxFiles)}`,
  )
}

/** Asked when nothing was changed because the finding is said to be wrong: whether it is, without the reason given for it. */
export const claimPrompt = (given: ClaimPrompt): Own =>
  ask(given, [
    codeSection(given.issue, given.code),
    fixed(
      own`## The claim\n\nNothing was changed. The claim is that this finding is a false positive: the code is right as it is. Look into the code yourself. Score how sure you are that the claim is true: 100 when the code is certainly right, 0 when the finding is certainly right. Use the same number for all four quality scores. The verdict is "merge" when you agree with the claim, else "reject".`,
    ),
  ])

/** Both kinds of question have the same beginning and the same end. */
const ask = (given: ClaimPrompt, judged: readonly (Section | null)[]): Own =>
  fitSections([
    fixed(given.texts.fix_challenger),
    fixed(challengerRules),
    conventionsSection(given.conventions),
    problemSection(given.issue, 'judge'),
    clarificationsSection(given.issue.clarifications),
    notesSection(given.notes),
    ...judged,
    fixed(scoring(given.threshold)),
    answerSection(challengerContract(given.issue.code)),
  ])

const scoring = (threshold: number): Own => own`## How the scores count

Correctness counts ${percent(weights.correctness)} %, safety ${percent(weights.safety)} %, minimality ${percent(weights.minimality)} % and style ${percent(weights.style_consistency)} %; ${threshold} of 100 are needed. The verdict "reject", or less than ${vetoBelow} for correctness or safety, refuses whatever the sum is.`

const percent = (weight: number): number => Math.round(weight * 100)

/** The file of the issue before and after the change, as far as it is shown. */
function codeSections({ issue, code, codeAfter }: ChallengerPrompt): readonly (Section | null)[] {
  const { file } = issue
  if (!file) return []
  const name = inline(file)
  const before =
    code === null
      ? null
      : excerptSection(
          own`## The code before the change\n\n${name}, flagged lines marked with ">":`,
          (around) => numberedExcerpt(code, issue, around),
        )
  return [before, codeAfterSection(name, code, codeAfter)]
}

function codeAfterSection(name: Own, before: string | null, after: string | null): Section | null {
  const title = own`## The code after the change`
  if (after === null)
    return before === null ? null : fixed(paragraphs(title, own`${name} is not there any more.`))
  const changed = changedLines(before ?? '', after)
  if (!changed) return fixed(paragraphs(title, own`${name} is the same as before.`))
  return excerptSection(own`${title}\n\n${name}, changed lines marked with ">":`, (around) =>
    numberedExcerpt(after, { line: changed.first, end_line: changed.last, marked: changed.marked }, around),
  )
}
