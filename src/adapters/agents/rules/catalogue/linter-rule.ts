import type { RuleInfo, RuleLanguage, RuleSeverity } from '../engine/rule.ts'

/** A rule of a linter that Fixpoint runs: what it finds is the linter's, whether it is on and what it is worth is ours. */
export interface LinterRule extends RuleInfo {
  readonly linter: 'oxlint' | 'ruff'
  /** As the linter calls it. */
  readonly name: string
  /** What the linter is told beside the name. */
  readonly options?: Readonly<Record<string, unknown>>
  /** True where the linter's own fix may be applied without anybody looking at it. */
  readonly isFixSafe: boolean
  /** What we write where the linter's fix writes something weaker. */
  readonly reword?: (fixed: string) => string
  /** Paths that the rule is not for, such as modules that only hand on what they import. */
  readonly exceptIn?: RegExp
  /** Words of the linter's message that mark an intended use, such as a test whether a module is there. */
  readonly unless?: RegExp
}

/** One rule: why it matters, and what to do about it. */
export type Entry = readonly [
  why: string,
  remedy: string,
  more?: Partial<Pick<LinterRule, 'isFixSafe' | 'reword' | 'options' | 'exceptIn' | 'unless'>>,
]

export interface Shelf {
  readonly linter: LinterRule['linter']
  readonly languages: readonly RuleLanguage[]
  readonly severity: RuleSeverity
  readonly category: string
  /** Where the linter explains the rule of a name. */
  readonly page: (name: string) => string
}

/** The rules of one shelf: the same linter, weight and kind of problem. */
export const shelve = (
  { linter, languages, severity, category, page }: Shelf,
  entries: Readonly<Record<string, Entry>>,
): readonly LinterRule[] =>
  Object.entries(entries).map(([name, [why, advice, { isFixSafe = false, ...more } = {}]]) => ({
    id: linter === 'ruff' ? `ruff/${name}` : name,
    linter,
    name,
    languages,
    severity,
    category,
    why,
    advice,
    references: [page(name)],
    effort: isFixSafe ? 1 : 2,
    isFixSafe,
    ...more,
  }))

export const safe = { isFixSafe: true }
