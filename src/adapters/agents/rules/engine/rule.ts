import type { NapiConfig, SgNode } from '@ast-grep/napi'

export type RuleLanguage = 'JavaScript' | 'TypeScript' | 'Tsx' | 'Python'
export type RuleSeverity = 'critical' | 'major' | 'minor' | 'info'
export type Node = SgNode

/** Replaces `[start, end)` of one file, in string offsets; `start === end` inserts. */
export type Edit = { readonly start: number; readonly end: number; readonly text: string }

/** What ast-grep is asked; the language is added per file. */
export type RuleQuery = Pick<NapiConfig, 'rule' | 'constraints' | 'utils'>

/** The edits that settle one match, or null where no edit is known to be safe. */
export type Fix = (node: Node, source: string) => readonly Edit[] | null

/** What a rule tells of itself, whichever engine runs it. */
export interface RuleInfo {
  readonly id: string
  readonly languages: readonly RuleLanguage[]
  readonly severity: RuleSeverity
  readonly category: string
  readonly why: string
  /** What to do instead, in words; shown where a match has no fix. */
  readonly advice?: string
  readonly references?: readonly string[]
  readonly effort: 1 | 2 | 3 | 4 | 5
}

/** A rule that looks for a shape of the syntax tree. */
export interface PatternRule extends RuleInfo {
  readonly title: string
  readonly message: string
  /** What every text with a match holds; a text without it need not be parsed for this rule. */
  readonly hint?: RegExp
  readonly query: RuleQuery
  /** Narrows what the query found; absent means every match counts. */
  readonly accepts?: (node: Node, source: string) => boolean
  /** Points at the nodes to report inside of what the query found, where that is not the place itself. */
  readonly locate?: (node: Node) => readonly Node[]
  /** A template with `$META` and `$$$MULTI`, or a function where a template is not enough. */
  readonly fix?: string | Fix
}
