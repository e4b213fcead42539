import type { Edit, RuleInfo } from './rule.ts'

/** A file's text under the path that findings name. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** What was found in a text, at string offsets. */
export interface Found {
  readonly rule: RuleInfo
  /** In a few words; the beginning of the message where there is none. */
  readonly title?: string
  readonly message: string
  readonly startOffset: number
  readonly endOffset: number
  /** The edits that fix it; null where none are known, and where the linter has to be asked for them. */
  readonly edits: readonly Edit[] | null
}

/** A text that the linter cannot read says why; it is never reported as clean. */
export type LinterScan = { readonly found: readonly Found[] } | { readonly unread: string }
