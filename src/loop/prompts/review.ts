import { reviewerContract } from './contracts.ts'
import { fitSections } from './fit.ts'
import { readerRules } from './rules.ts'
import { answerSection, conventionsSection, fence, fixed, type Convention } from './sections.ts'
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
export function reviewerPrompt(given: ReviewerPrompt): string {
  const { texts, paths, conventions, experts, spec, diff, unreadable } = given
  const scope = paths.length > 0 ? fence('text', paths.join('\n')) : 'The whole repository.'
  const fields = experts.map((name) => `### ${name}\n\n${texts[name]}`)
  return fitSections([
    fixed(texts.reviewer),
    fixed(readerRules),
    fields.length > 0
      ? fixed(
          `## Fields of expertise\n\nLook with the eyes of each of these experts. If you can start sub-agents, give each field to one of them and merge what they find.\n\n${fields.join('\n\n')}`,
        )
      : null,
    conventionsSection(conventions),
    fixed(`## What to review\n\n${scope}`),
    spec && fixed(`## The specification (${spec.name})\n\n${fence('text', spec.text)}`),
    diff === null
      ? null
      : fixed(
          `## What changed\n\nReport what this change makes wrong or shows to be wrong.\n\n${fence('diff', diff.slice(0, maxDiff))}`,
        ),
    unreadable === null ? null : fixed(`Your last answer could not be read: ${unreadable}`),
    answerSection(reviewerContract),
  ])
}
