import type { Feedback, NextStep } from '../../model/agent/agent.ts'
import { data, own, personsWords, word, type Own } from '../own-text.ts'
import type { Section } from './fit.ts'
import { fixed, paragraphs } from './sections.ts'

const maxDiff = 60_000
const maxFeedback = 30_000

/** What became of the round before. */
export interface LastRound {
  readonly round: number
  /** The round's own change; null when nothing of it was captured. */
  readonly diff: string | null
  /** How much of the fix so far the workspace holds. */
  readonly left: 'all' | 'some' | 'none'
  /** How the workspace differs from the code without the fix, where the round's own diff does not say it. */
  readonly held: string | null
}

/** What Fixpoint asks of the next round; a refusal's own text is data. */
const nextSteps: Readonly<Record<NextStep, Own>> = {
  leave_or_explain: own`Leave these files alone, or say why the fix needs them.`,
  keep_or_correct_tests: own`Keep the tests and their names. Where a test expects what the finding calls wrong, correct it and say so in your report: a person is asked before that lands.`,
  fix_or_block: own`Fix it now, or report it as blocked with what stands in the way.`,
  keep_workspace: own`Edit files in the workspace, and leave it where it is.`,
  fix_alone: own`Fix this problem alone now.`,
  begin_again: own`Make the fix again, on the code that the workspace holds now.`,
}

/** Why rounds were refused. Old ones are the first to be given up; the last one always stays. */
export const refusalSections = (feedback: readonly Feedback[]): readonly Section[] =>
  feedback.map((one, index) => {
    const { round, stage, text } = one
    const begin = own`Round ${round} was refused at ${word(stage)}`
    const refusalText = (most?: number): Own =>
      paragraphs(own`${begin}:`, data('text', text, most), ...asked(one))
    return index === feedback.length - 1
      ? fixed(refusalText(maxFeedback))
      : { text: refusalText(), giveUp: 1, shorter: paragraphs(own`${begin}.`, ...asked(one)) }
  })

const asked = ({ person, next_step: step }: Feedback): readonly (Own | null)[] => [
  person === undefined ? null : own`The person who asked says about it:\n\n${personsWords(person)}`,
  step ? nextSteps[step] : null,
]

/** All earlier rounds, the change of the last one, and the part of it that is left. */
export function roundsSections(
  feedback: readonly Feedback[],
  last: LastRound | null,
): readonly (Section | null)[] {
  if (feedback.length === 0) return []
  return [
    fixed(own`## Earlier rounds`),
    ...refusalSections(feedback),
    last?.diff ? fixed(own`What round ${last.round} changed:\n\n${data('diff', last.diff, maxDiff)}`) : null,
    last && workspaceSection(last),
  ]
}

/** What the agent finds in its workspace. */
export function workspaceSection({ round, left, held }: LastRound): Section {
  const state = own`Your workspace ${left === 'all' ? own`is as round ${round} left it` : own`is not as round ${round} left it`}`
  if (left === 'none') return fixed(own`${state}: it holds the code without your fix.`)
  if (!held) return fixed(own`${state}.`)
  return {
    text: own`${state}. This is what it holds of your fix, against the code without it:\n\n${data('diff', held, maxDiff)}`,
    giveUp: 1,
    shorter: own`${state}.`,
  }
}
