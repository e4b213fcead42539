import type { Edit, RuleInfo, RuleLanguage, RuleSeverity } from '../engine/rule.ts'

/** Where a linter found something, and its words. */
export interface LinterPlace {
  readonly path: string
  readonly text: string
  readonly message: string
  readonly start: number
  readonly end: number
}

/** A rule of a linter that Fixpoint runs: the linter finds the places, Fixpoint decides whether the rule is on and how severe it is. */
export interface LinterRule extends RuleInfo {
  readonly linter: 'oxlint' | 'ruff'
  /** As the linter calls it. */
  readonly name: string
  /** What the linter is told beside the name. */
  readonly options?: Readonly<Record<string, unknown>>
  /** True where the linter's own fix may be applied without anybody looking at it. */
  readonly isFixSafe: boolean
  /** What it is in a few words, where the linter's first sentence is advice. */
  readonly title?: string
  /** What we write where the linter's fix writes something weaker. */
  readonly reword?: (fixed: string) => string
  /** Narrows what the linter says to what deserves a fix; absent means all of it. */
  readonly accepts?: (place: LinterPlace) => boolean
  /** The most places that may get the same message; more of them share a reason that none of them shows. */
  readonly mostPlaces?: number
  /** Our own edits for a place that the linter found but does not mend. */
  readonly fixAt?: (place: LinterPlace) => readonly Edit[] | null
}

/** One rule: why it matters, and what to do about it. */
export type Entry = readonly [
  why: string,
  remedy: string,
  more?: Partial<
    Pick<
      LinterRule,
      | 'id'
      | 'title'
      | 'done'
      | 'isOptional'
      | 'mostPlaces'
      | 'isFixSafe'
      | 'reword'
      | 'options'
      | 'accepts'
      | 'fixAt'
      | 'severity'
      | 'category'
    >
  >,
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
  Object.entries(entries).map(([name, [why, advice, more]]) => ({
    id: linter === 'ruff' ? `ruff/${name}` : name,
    linter,
    name,
    languages,
    severity,
    category,
    why,
    advice,
    references: [page(name)],
    effort: more?.isFixSafe || more?.fixAt ? 1 : 2,
    isFixSafe: false,
    ...more,
  }))

export const safe = { isFixSafe: true }

/** True, but few maintainers would change anything for it. */
export const optional = { isOptional: true } as const

/** Rules of a framework say nothing about code that does not use it. */
export const isInReact = ({ text }: LinterPlace): boolean =>
  /(?:from|import|require\()\s*['"]p?react\b|\bReact\./.test(text)
/** What React alone forbids; others that are written alike allow it. */
export const isOfReact = ({ text }: LinterPlace): boolean =>
  /(?:from|import|require\()\s*['"]react\b|\bReact\./.test(text)
export const inReact = { accepts: isInReact }
