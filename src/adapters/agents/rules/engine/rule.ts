import type { NapiConfig, SgNode } from '@ast-grep/napi'
import type { Tree, TreeNode } from './tree.ts'

export type RuleLanguage = 'JavaScript' | 'TypeScript' | 'Tsx' | 'Python'
export type RuleSeverity = 'critical' | 'major' | 'minor' | 'info'
export type Node = SgNode

/** Replaces `[start, end)` of one file, in string offsets; `start === end` inserts. */
export type Edit = { readonly start: number; readonly end: number; readonly text: string }

/** What ast-grep is asked; the language is added per file. */
export type RuleQuery = Pick<NapiConfig, 'rule' | 'constraints' | 'utils'>

/** What a rule tells of itself, whichever engine runs it. */
export interface RuleInfo {
  readonly id: string
  readonly languages: readonly RuleLanguage[]
  readonly severity: RuleSeverity
  readonly category: string
  readonly why: string
  /** What to do instead, in words; shown where a match has no fix. */
  readonly advice?: string
  /** What its fix does, for the title of a commit, with {name} for what the message names; the advice where that says it. */
  readonly done?: string
  readonly references?: readonly string[]
  readonly effort: 1 | 2 | 3 | 4 | 5
  /** Off until `review.rules` gives it a severity: too much of what it finds is fine where it stands. */
  readonly isOptional?: true
}

/** A rule of ours: nodes of the tree that oxc makes of JavaScript and TypeScript. */
export interface TreeRule extends RuleInfo {
  readonly title: string
  readonly message: string
  /** What every text with a match holds; a text without it is not parsed for this rule. */
  readonly hint: Pick<RegExp, 'test'>
  readonly types: readonly string[]
  readonly accepts: (node: TreeNode, tree: Tree) => boolean
  /** The edits that fix one match, or null where no edit is known to be safe. */
  readonly fix?: (node: TreeNode, tree: Tree) => readonly Edit[] | null
}

/** A rule of the person's own files: a shape that ast-grep looks for. */
export interface PatternRule extends RuleInfo {
  readonly title: string
  readonly message: string
  readonly query: RuleQuery
  /** A template with `$META` and `$$$MULTI`. */
  readonly fix?: string
}
