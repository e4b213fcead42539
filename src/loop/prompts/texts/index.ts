import { clarifier } from './clarifier.ts'
import {
  reviewerBeArchitecture,
  reviewerBeQuality,
  reviewerFeArchitecture,
  reviewerFeQuality,
  reviewerSpec,
} from './experts.ts'
import { fixChallenger } from './fix-challenger.ts'
import { fixer } from './fixer.ts'
import { fixerSingle } from './fixer-single.ts'
import { devBe, devFe, engineeringPrinciples } from './guidelines.ts'
import { planner } from './planner.ts'
import { reFixer } from './re-fixer.ts'
import { reviewer } from './reviewer.ts'

/** The built-in prompt files, by the name that a file of a person's or a repository's own replaces them with. */
export const builtInPrompts = {
  fixer,
  fixer_single: fixerSingle,
  re_fixer: reFixer,
  fix_challenger: fixChallenger,
  reviewer,
  reviewer_be_architecture: reviewerBeArchitecture,
  reviewer_be_quality: reviewerBeQuality,
  reviewer_fe_architecture: reviewerFeArchitecture,
  reviewer_fe_quality: reviewerFeQuality,
  reviewer_spec: reviewerSpec,
  clarifier,
  planner,
  dev_be: devBe,
  dev_fe: devFe,
  engineering_principles: engineeringPrinciples,
} as const

export type PromptName = keyof typeof builtInPrompts
export type PromptTexts = Readonly<Record<PromptName, string>>

export const promptNames = Object.keys(builtInPrompts) as readonly PromptName[]
