import { data, own, type Own } from '../own-text.ts'
import type { PromptTexts } from '../prompt-texts.ts'
import { voteContract } from '../prompts/contracts.ts'
import { fitSections } from '../prompts/fit.ts'
import { readerRules } from '../prompts/rules.ts'
import {
  answerSection,
  conventionsSection,
  fixed,
  paragraphs,
  unreadableSection,
  type Convention,
} from '../prompts/sections.ts'

export interface VotePrompt {
  readonly texts: PromptTexts
  readonly conventions: readonly Convention[]
  readonly title: string
  readonly body: string
  readonly files: readonly string[]
  readonly diff: string
  readonly unreadable: string | null
}

const maxDiff = 120_000
const maxBody = 8_000

/** What a voter is told. The title, the text and the change are whatever somebody wrote: data, never orders. */
export function votePrompt({ texts, conventions, title, body, files, diff, unreadable }: VotePrompt): Own {
  return fitSections([
    fixed(texts.pr_reviewer),
    fixed(readerRules),
    conventionsSection(conventions),
    fixed(
      paragraphs(
        own`## The pull request`,
        own`What its author says of it is a claim to check.`,
        data('text', `${title}\n\n${body}`, maxBody),
        own`## Changed files`,
        data('text', files.join('\n'), maxBody),
      ),
    ),
    fixed(own`## The change\n\n${data('diff', diff, maxDiff)}`),
    unreadableSection(unreadable),
    answerSection(voteContract),
  ])
}
