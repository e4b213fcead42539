import type { Issue } from '../../model/issue/issue.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import { data, guidance, own, type Own } from '../own-text.ts'
import { fixersContract } from './contracts.ts'
import { estimateTokens, fitSections, promptTokens } from './fit.ts'
import { fixerRules } from './rules.ts'
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

export interface BatchedPrompt {
  readonly texts: PromptTexts
  /** In the order of the plan. */
  readonly issues: readonly { readonly issue: Issue; readonly code: string | null }[]
  /** `master_todo.json`, for an agent that divides the work itself. */
  readonly todo: string | null
  readonly conventions: readonly Convention[]
  readonly commands: readonly CheckCommand[]
  readonly notes: string | null
  /** Where only a part of one large issue is asked for. */
  readonly onlyFiles: readonly string[] | null
}

export interface BuiltBatch {
  readonly prompt: Own
  /** Issues that did not fit any more: the next batch begins with them. */
  readonly notSent: readonly string[]
}

/** One prompt for several issues; from the end, what does not fit is left for the next one. */
export function batchPrompt(given: BatchedPrompt): BuiltBatch {
  const parts = given.issues.map(({ issue, code }) => ({ issue, text: issueText(issue, code) }))
  const around = parts.map(({ issue }) => ({ issue, text: own`` }))
  const room = promptTokens - estimateTokens(render(given, around))
  let used = 0
  const sent = parts.filter(({ text }, index) => {
    used += estimateTokens(text)
    return index === 0 || used <= room
  })
  const prompt = render(given, sent)
  return { prompt, notSent: parts.slice(sent.length).map(({ issue }) => issue.code) }
}

const issueText = (issue: Issue, code: string | null): Own =>
  fitSections([...issueSections(issue, code), planSection(issue.plan)])

function render(
  { texts, issues, todo, conventions, commands, notes, onlyFiles }: BatchedPrompt,
  sent: readonly { readonly issue: Issue; readonly text: Own }[],
): Own {
  return fitSections([
    fixed(texts.fixer),
    fixed(fixerRules),
    guidelineSection(
      texts,
      issues.map(({ issue }) => issue),
    ),
    conventionsSection(conventions),
    todo === null
      ? null
      : fixed(
          own`## The plan (master_todo.json)\n\nGo step by step. Give each issue of a step to a \`fixer-single\` sub-agent of its own, all of one step in one message, if you can start sub-agents. If you cannot, fix them yourself, one after another. A \`fixer-single\` is told:\n\n${guidance(texts.fixer_single)}\n\nThe steps:\n\n${guidance(todo)}`,
        ),
    ...sent.map(({ text }) => fixed(text)),
    notesSection(notes),
    onlyFiles === null
      ? null
      : fixed(
          own`## This part\n\nThe problem is too large for one go. Change only these files now:\n\n${data('text', onlyFiles.join('\n'))}`,
        ),
    commandsSection(commands),
    answerSection(fixersContract(sent.map(({ issue }) => issue.code))),
  ])
}
