import { applyEdits, expandTemplate } from './edits.ts'
import { parseSource } from './language.ts'
import { isHostile } from '../../../../model/syntax/is-parseable.ts'
import type { Edit, Node, PatternRule, RuleInfo, RuleLanguage, TreeRule } from './rule.ts'
import { findSyntaxErrors, isUnreadable, type SourceSpan } from './syntax-errors.ts'
import type { Found, Source } from './found.ts'
import { parseTree } from './tree.ts'

export type Match = {
  readonly rule: RuleInfo
  /** What is wrong in this place, in one line. */
  readonly title: string
  readonly message: string
  readonly startOffset: number
  readonly endOffset: number
  /** 1-based, like endLine and column. */
  readonly line: number
  readonly endLine: number
  readonly column: number
  readonly text: string
  /** The edits that fix this match in its file; null where no edit is known to be safe. */
  readonly edits: readonly Edit[] | null
  /** The matched code as it reads after the edits, or what to do in words. */
  readonly suggestion: string | null
}

/** A file that could not be read in full says so; it is never reported as clean. */
export type SourceScan =
  | { readonly status: 'reviewed'; readonly matches: readonly Match[] }
  | {
      readonly status: 'partly'
      readonly matches: readonly Match[]
      readonly why: string
      readonly isMade?: false
    }
  /** `isMade`: nobody wrote it by hand, so that nobody should read it. */
  | { readonly status: 'skipped'; readonly why: string; readonly isMade?: boolean }

const maxDurationMs = 20_000

/** Runs a person's own rules over a text. */
export function scanPatterns(
  source: string,
  language: RuleLanguage,
  rules: readonly PatternRule[],
): SourceScan {
  if (isHostile(source, language === 'Python' ? 'python' : 'javascript'))
    return {
      status: 'skipped',
      why: 'no program: endless comments or operators, which no parser can be given',
    }
  const root = parseSource(source, language)
  const errors = findSyntaxErrors(root, source, language)
  if (isUnreadable(root, errors, source)) {
    return { status: 'skipped', why: `not readable as ${language}: ${placesOf(errors)}` }
  }
  const found = runRules(rules, root, source)
  if (found === null)
    return { status: 'skipped', why: `its rules took longer than ${maxDurationMs / 1_000} s` }
  const matches = found.filter((match) => !errors.some((error) => overlaps(match, error)))
  if (errors.length === 0) return { status: 'reviewed', matches }
  return { status: 'partly', matches, why: `not readable in full as ${language}: ${placesOf(errors)}` }
}

/** Null when time is up: rules that did not run would make the file look clean. */
function runRules(rules: readonly PatternRule[], root: Node, source: string): Match[] | null {
  const deadline = performance.now() + maxDurationMs
  const matches: Match[] = []
  for (const rule of rules) {
    const queried: readonly Node[] = root.findAll(rule.query)
    for (const node of queried) {
      if (performance.now() > deadline) return null
      matches.push(toMatch(rule, node, source))
    }
  }
  return matches
}

function toMatch(rule: PatternRule, node: Node, source: string): Match {
  const { start, end } = node.range()
  const edits = editsOf(rule, node, source)
  // A byte order mark is no column of the first line.
  const shift = start.line === 0 && source.startsWith('\uFEFF') ? 0 : 1
  return {
    rule,
    title: rule.title,
    message: rule.message,
    startOffset: start.index,
    endOffset: end.index,
    line: start.line + 1,
    endLine: end.line + 1,
    column: start.column + shift,
    text: node.text(),
    edits,
    suggestion: edits
      ? editedText(source, { start: start.index, end: end.index }, edits)
      : (rule.advice ?? null),
  }
}

function editsOf(rule: PatternRule, node: Node, source: string): readonly Edit[] | null {
  if (rule.fix === undefined) return null
  const { start, end } = node.range()
  return [{ start: start.index, end: end.index, text: expandTemplate(rule.fix, node, source) }]
}

const maxSuggestionLength = 2_000

/** The code from the first to the last place that the match and its edits touch, as it reads afterwards. */
export function editedText(
  source: string,
  { start, end }: Omit<Edit, 'text'>,
  edits: readonly Edit[],
): string {
  const first = Math.min(start, ...edits.map((edit) => edit.start))
  const from = first < start ? source.lastIndexOf('\n', first - 1) + 1 : start
  const to = Math.max(end, ...edits.map((edit) => edit.end))
  // An import far above the match would drag everything between them along.
  if (to - from > end - start + maxSuggestionLength) return edits.map((edit) => edit.text).join('\n')
  const local = edits.map((edit) => ({ ...edit, start: edit.start - from, end: edit.end - from }))
  return applyEdits(source.slice(from, to), local)
}

const overlaps = (match: Match, error: SourceSpan): boolean =>
  error.start < match.endOffset && match.startOffset < error.end

function placesOf(errors: readonly SourceSpan[]): string {
  const lines = [...new Set(errors.map((error) => error.line))].toSorted((a, b) => a - b)
  const shown = lines.slice(0, 5).join(', ')
  return `syntax error on line ${shown}${lines.length > 5 ? ` and ${lines.length - 5} more` : ''}`
}

/** Runs rules of ours over a text; parsing takes longest, and most texts give no reason for it. */
export function scanTree({ path, text }: Source, rules: readonly TreeRule[]): readonly Found[] {
  const suspected = rules.filter(({ hint }) => hint.test(text))
  // The linter has said what is wrong with a text that is no program.
  const tree = suspected.length > 0 ? parseTree(path, text) : null
  if (!tree) return []
  return suspected.flatMap((rule) =>
    tree.nodes
      .filter((node) => rule.types.includes(node.type) && rule.accepts(node, tree))
      .map((node) => ({
        rule,
        title: rule.title,
        message: rule.message,
        startOffset: node.start,
        endOffset: node.end,
        edits: rule.fix?.(node, tree) ?? null,
      })),
  )
}
