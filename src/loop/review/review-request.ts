import type { Revision } from '../../model/attempt/attempt.ts'
import type { RepositoryId } from '../../model/id.ts'
import type { PromptName } from '../prompts/texts/index.ts'

export interface ReviewRequest {
  readonly repositoryId: RepositoryId
  readonly revision: Revision
  readonly root: string
  /** Folders and files to look at; everything without them. */
  readonly paths: readonly string[]
  /** Only what changed: since which revision, and how. */
  readonly changed: { readonly base: string; readonly diff: string; readonly files: readonly string[] } | null
  /** A specification that the code is held against. */
  readonly spec: { readonly name: string; readonly text: string } | null
  readonly experts: readonly PromptName[]
  readonly conventions: readonly string[]
  readonly signal: AbortSignal
}
