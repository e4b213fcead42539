import { applyEdits, expandTemplate } from './edits.ts'
import { languageOf, parseSource } from './language.ts'
import { isHostile } from '../../../../model/syntax/is-parseable.ts'
import type { Edit, Node, Rule, RuleLanguage } from './rule.ts'
import { findSyntaxErrors, isUnreadable, type SourceSpan } from './syntax-errors.ts'

export type Match = {
  readonly rule: Rule
  readonly startOffset: number
  readonly endOffset: number
  /** 1-based, like endLine and column. */
  readonly line: number
  readonly endLine: number
  readonly column: number
  readonly text: string
  /** What settles this match in its file; null where no edit is known to be safe. */
  readonly edits: readonly Edit[] | null
  /** The matched code as it reads after the edits, or what to do in words. */
  readonly suggestion: string | null
}

/** A file that could not be read in full says so; it is never reported as clean. */
export type SourceScan =
  | { readonly status: 'reviewed'; readonly matches: readonly Match[] }
  | { readonly status: 'partly'; readonly matches: readonly Match[]; readonly why: string }
  | { readonly status: 'skipped'; readonly why: string }

const maxBytes = 1_000_000
const maxLineLength = 5_000
const maxDurationMs = 20_000

/** Runs the rules of a file's language over its text, sorted by place. */
export function scanSource(source: string, path: string, rules: readonly Rule[]): SourceScan {
  const language = languageOf(path)
  if (language === null) return { status: 'skipped', why: 'no rules for this kind of file' }
  const unsuited = whyUnsuited(source, language)
  if (unsuited !== null) return { status: 'skipped', why: unsuited }

  const root = parseSource(source, language)
  const errors = findSyntaxErrors(root, source, language)
  if (isUnreadable(root, errors, source)) {
    return { status: 'skipped', why: `not readable as ${language}: ${placesOf(errors)}` }
  }
  const found = runRules(
    rules.filter((rule) => rule.languages.includes(language)),
    root,
    source,
  )
  if (found === null)
    return { status: 'skipped', why: `its rules took longer than ${maxDurationMs / 1_000} s` }
  const matches = found.filter((match) => !errors.some((error) => overlaps(match, error))).toSorted(byPlace)
  if (errors.length === 0) return { status: 'reviewed', matches }
  return { status: 'partly', matches, why: `not readable in full as ${language}: ${placesOf(errors)}` }
}

/** Null when time is up: what some rules did not find then would look clean. */
function runRules(rules: readonly Rule[], root: Node, source: string): Match[] | null {
  const deadline = performance.now() + maxDurationMs
  const matches: Match[] = []
  for (const rule of rules) {
    const queried: readonly Node[] = root.findAll(rule.query)
    for (const node of queried) {
      if (performance.now() > deadline) return null
      const located = rule.locate?.(node) ?? [node]
      const accepted = located.filter((each) => rule.accepts?.(each, source) ?? true)
      matches.push(...accepted.map((each) => toMatch(rule, each, source)))
    }
  }
  return matches
}

function whyUnsuited(source: string, language: RuleLanguage): string | null {
  if (Buffer.byteLength(source) > maxBytes) return 'larger than 1 MB'
  if (source.includes('\0')) return 'binary content'
  if (source.includes('\uFFFD'))
    return 'not UTF-8 text: it has bytes that cannot be written back as they were'
  if (source.split('\n').some((line) => line.length > maxLineLength)) {
    return `minified or generated: a line is longer than ${maxLineLength} characters`
  }
  if (isHostile(source, language === 'Python' ? 'python' : 'javascript'))
    return 'no program: endless comments or operators, which no parser can be given'
  return isGenerated(source) ? 'marked as generated' : null
}

function isGenerated(source: string): boolean {
  const header = source.slice(0, 1_000).split('\n').slice(0, 10)
  return header.some((line) => /^\W*(?:\/[/*]|#|\*)/.test(line) && /@generated\b|\bDO NOT EDIT\b/.test(line))
}

function toMatch(rule: Rule, node: Node, source: string): Match {
  const { start, end } = node.range()
  const edits = editsOf(rule, node, source)
  // A byte order mark is no column of the first line.
  const shift = start.line === 0 && source.startsWith('\uFEFF') ? 0 : 1
  return {
    rule,
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

function editsOf(rule: Rule, node: Node, source: string): readonly Edit[] | null {
  if (rule.fix === undefined) return null
  if (typeof rule.fix === 'function') return rule.fix(node, source)
  const { start, end } = node.range()
  return [{ start: start.index, end: end.index, text: expandTemplate(rule.fix, node, source) }]
}

const maxSuggestionLength = 2_000

/** The code from the first to the last place that the match and its edits touch, as it reads afterwards. */
function editedText(source: string, { start, end }: Omit<Edit, 'text'>, edits: readonly Edit[]): string {
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

const byPlace = (a: Match, b: Match): number =>
  a.startOffset - b.startOffset || a.endOffset - b.endOffset || (a.rule.id < b.rule.id ? -1 : 1)

function placesOf(errors: readonly SourceSpan[]): string {
  const lines = [...new Set(errors.map((error) => error.line))].toSorted((a, b) => a - b)
  const shown = lines.slice(0, 5).join(', ')
  return `syntax error on line ${shown}${lines.length > 5 ? ` and ${lines.length - 5} more` : ''}`
}
