import type { LinterRule } from '../catalogue/linter-rule.ts'
import type { Edit } from '../engine/rule.ts'

/** A file's text under the path that findings name. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** What a linter found, at string offsets. */
export interface Linted {
  readonly rule: LinterRule
  readonly message: string
  readonly startOffset: number
  readonly endOffset: number
  /** The linter's own fix where it tells one; null also where it has to be asked for. */
  readonly edits: readonly Edit[] | null
}

/** A text that the linter cannot read says why; it is never reported as clean. */
export type LinterScan = { readonly found: readonly Linted[] } | { readonly unread: string }
