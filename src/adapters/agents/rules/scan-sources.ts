import { setImmediate as othersTurn } from 'node:timers/promises'
import type { LinterRule } from './catalogue/linter-rule.ts'
import { languageOf } from './engine/language.ts'
import type { PatternRule, RuleInfo, TreeRule } from './engine/rule.ts'
import { scanTree, editedText, scanPatterns, type Match, type SourceScan } from './engine/scan.ts'
import { lintWithOxlint } from './linters/oxlint.ts'
import { lintWithRuff, ruffFor } from './linters/ruff.ts'
import type { LintCall } from './linters/run-oxlint.ts'
import type { Found, LinterScan, Source } from './engine/found.ts'
import { whyMade } from './made.ts'
import { titleOf } from '../../../model/issue/finding-text.ts'

/** A rule of a linter, one of ours, or one of the person's own files. */
export type Rule = LinterRule | TreeRule | PatternRule

export const isLinterRule = (rule: RuleInfo): rule is LinterRule => 'linter' in rule
const isTreeRule = (rule: Rule): rule is TreeRule => 'types' in rule
const isPatternRule = (rule: Rule): rule is PatternRule => 'query' in rule

const maxBytes = 1_000_000

/** Runs every rule of each file's language over its text. */
export const scanSources = (
  sources: readonly Source[],
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SourceScan>> => reviewSources(sources, rules, { signal })

/** The same, for a caller that may have started a linter before the texts were read. */
export async function reviewSources(
  sources: readonly Source[],
  rules: readonly Rule[],
  call: LintCall,
): Promise<ReadonlyMap<string, SourceScan>> {
  const scans = new Map<string, SourceScan>()
  const readable: Source[] = []
  for (const source of sources) {
    const made = whyMade(source)
    const why = made ?? whyUnsuited(source)
    if (why === null) readable.push(source)
    else scans.set(source.path, { status: 'skipped', why, ...(made && { isMade: true }) })
  }
  const [linted, own] = await Promise.all([
    lint(readable, rules.filter(isLinterRule), call),
    reviewSourcesOwn(readable, rules, call.signal),
  ])
  for (const [index, source] of readable.entries())
    scans.set(source.path, unite(source, linted.get(source.path), own[index] ?? nothing))
  return scans
}

/** The matches of our own rules and of the person's in a text. */
interface OwnScan {
  readonly found: readonly Found[]
  /** Matches of the person's own rules; null where there are none for this file. */
  readonly shaped: SourceScan | null
}

const nothing: OwnScan = { found: [], shaped: null }

/** What else waits in this process waits hardly longer. */
const turnMs = 5

/** Our own rules run while the linter's process does, and give other work its turn now and then. */
async function reviewSourcesOwn(
  sources: readonly Source[],
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<readonly OwnScan[]> {
  const scans: OwnScan[] = []
  let turnEndsAt = 0
  for (const source of sources) {
    if (performance.now() > turnEndsAt) {
      await othersTurn(undefined, { signal })
      turnEndsAt = performance.now() + turnMs
    }
    scans.push(scanOwn(source, rulesFor(source, rules)))
  }
  return scans
}

function scanOwn(source: Source, rules: readonly Rule[]): OwnScan {
  const language = languageOf(source.path)
  const patterns = rules.filter(isPatternRule)
  return {
    found: scanTree(source, rules.filter(isTreeRule)),
    shaped: language !== null && patterns.length > 0 ? scanPatterns(source.text, language, patterns) : null,
  }
}

const rulesFor = ({ path }: Source, rules: readonly Rule[]): readonly Rule[] => {
  const language = languageOf(path)
  return rules.filter(({ languages }) => language !== null && languages.includes(language))
}

async function lint(
  sources: readonly Source[],
  rules: readonly LinterRule[],
  call: LintCall,
): Promise<ReadonlyMap<string, LinterScan>> {
  const python = sources.filter(({ path }) => languageOf(path) === 'Python')
  const others = sources.filter(({ path }) => languageOf(path) !== 'Python')
  const ofOxlint = rules.filter(({ linter }) => linter === 'oxlint')
  const ofRuff = rules.filter(({ linter }) => linter === 'ruff')
  const scans = new Map(ofOxlint.length > 0 ? await lintWithOxlint(others, ofOxlint, call) : [])
  if (ofRuff.length > 0 && python.length > 0) {
    const ruff = await ruffFor(ofRuff)
    for (const source of python) scans.set(source.path, lintWithRuff(source, ofRuff, ruff))
  }
  return scans
}

/** Readers of one file: the linter says whether it was read in full, and a person's own rules must be read as well. */
function unite(source: Source, linted: LinterScan | undefined, { found: own, shaped }: OwnScan): SourceScan {
  const shapes = shaped === null || shaped.status === 'skipped' ? [] : shaped.matches
  if (linted && 'unread' in linted) {
    const why = `not readable as ${languageOf(source.path)}: ${linted.unread}`
    return shapes.length > 0 ? { status: 'partly', matches: shapes, why } : { status: 'skipped', why }
  }
  const found = withoutRepeats([...(linted?.found ?? []), ...own])
  const matches = [...found.map((each) => toMatch(source, each)), ...shapes].toSorted(byPlace)
  if (shaped === null || shaped.status === 'reviewed') return { status: 'reviewed', matches }
  if (shaped.status === 'skipped' && !linted) return shaped
  return { status: 'partly', matches, why: shaped.why }
}

/** What a rule says in the same words of the same place is one problem, however many parts of the place it is about. */
const withoutRepeats = (found: readonly Found[]): readonly Found[] => [
  ...new Map(
    found.map((each) => [`${each.rule.id} ${each.startOffset} ${each.endOffset} ${each.message}`, each]),
  ).values(),
]

function toMatch({ text }: Source, { rule, title, message, startOffset, endOffset, edits }: Found): Match {
  const lineStart = text.lastIndexOf('\n', startOffset - 1) + 1
  const line = countLines(text, startOffset)
  // A byte order mark is no column of the first line.
  const shift = line === 1 && text.startsWith('\uFEFF') ? 0 : 1
  return {
    rule,
    title: title ?? titleOf(message),
    message: asSentence(message),
    startOffset,
    endOffset,
    line,
    endLine: countLines(text, Math.max(startOffset, endOffset - 1)),
    column: startOffset - lineStart + shift,
    text: text.slice(startOffset, endOffset),
    edits,
    suggestion: edits
      ? editedText(text, { start: startOffset, end: endOffset }, edits)
      : (rule.advice ?? null),
  }
}

function countLines(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

const asSentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`)

const byPlace = (a: Match, b: Match): number =>
  a.startOffset - b.startOffset || a.endOffset - b.endOffset || (a.rule.id < b.rule.id ? -1 : 1)

function whyUnsuited({ path, text }: Source): string | null {
  if (languageOf(path) === null) return 'no rules for this kind of file'
  if (Buffer.byteLength(text) > maxBytes) return 'larger than 1 MB'
  if (text.includes('\0')) return 'binary content'
  return null
}
