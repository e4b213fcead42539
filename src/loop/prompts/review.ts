import { data, inline, own, word, type Own } from '../own-text.ts'
import { reviewerContract } from './contracts.ts'
import { fitSections } from './fit.ts'
import { readerRules } from './rules.ts'
import {
  answerSection,
  conventionsSection,
  fixed,
  paragraphs,
  unreadableSection,
  type Convention,
} from './sections.ts'
import type { PromptName, PromptTexts } from '../prompt-texts.ts'

export interface ReviewerPrompt {
  readonly texts: PromptTexts
  readonly paths: readonly string[]
  readonly conventions: readonly Convention[]
  /** The fields of expertise that this review needs. */
  readonly experts: readonly PromptName[]
  readonly spec: { readonly name: string; readonly text: string } | null
  /** What changed, when only that is looked at. */
  readonly diff: string | null
  /** Why the last answer to the same question could not be read. */
  readonly unreadable: string | null
}

const maxDiff = 60_000

/** What a reviewer is told: the field of each expert, and where to look. */
export function reviewerPrompt(given: ReviewerPrompt): Own {
  const { texts, paths, conventions, experts, spec, diff, unreadable } = given
  const fields = experts.map((name) => own`### ${word(name)}\n\n${texts[name]}`)
  return fitSections([
    fixed(texts.reviewer),
    fixed(readerRules),
    fields.length > 0
      ? fixed(
          paragraphs(
            own`## Fields of expertise`,
            own`Look with the eyes of each of these experts, one after another, and merge what you find.`,
            ...fields,
          ),
        )
      : null,
    conventionsSection(conventions),
    fixed(
      paragraphs(
        own`## What to review`,
        paths.length > 0 ? data('text', paths.join('\n')) : own`The whole repository.`,
      ),
    ),
    spec && fixed(own`## The specification (${inline(spec.name)})\n\n${data('text', spec.text)}`),
    diff === null
      ? null
      : fixed(
          own`## What changed\n\nReport what this change makes wrong or shows to be wrong.\n\n${data('diff', diff, maxDiff)}`,
        ),
    unreadableSection(unreadable),
    answerSection(reviewerContract),
  ])
}
