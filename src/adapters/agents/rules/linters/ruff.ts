import type { LinterRule } from '../catalogue/linter-rule.ts'
import type { Edit } from '../engine/rule.ts'
import type { Linted, LinterScan, Source } from './linted.ts'

interface Place {
  readonly row: number
  readonly column: number
}

interface Diagnostic {
  readonly code: string | null
  readonly message: string
  readonly start_location: Place
  readonly end_location: Place
  readonly fix: {
    readonly edits: readonly {
      readonly content: string | null
      readonly location: Place
      readonly end_location: Place
    }[]
  } | null
}

interface Checker {
  check(text: string): readonly Diagnostic[]
}

const checkers = new WeakMap<readonly LinterRule[], Promise<Checker>>()

/** Ruff for these rules; its WebAssembly is loaded with the first Python file. */
export function ruffFor(rules: readonly LinterRule[]): Promise<Checker> {
  const known = checkers.get(rules) ?? createChecker(rules)
  checkers.set(rules, known)
  return known
}

async function createChecker(rules: readonly LinterRule[]): Promise<Checker> {
  const { Workspace, PositionEncoding } = await import('@astral-sh/ruff-wasm-nodejs')
  const select = rules.map(({ name }) => name)
  const workspace = new Workspace({ lint: { select }, 'target-version': 'py310' }, PositionEncoding.Utf16)
  return { check: (text) => workspace.check(text) as readonly Diagnostic[] }
}

export function lintWithRuff(
  { path, text }: Source,
  rules: readonly LinterRule[],
  ruff: Checker,
): LinterScan {
  const offsetOf = lineOffsets(text)
  const found: Linted[] = []
  for (const { code, message, start_location, end_location, fix } of ruff.check(text)) {
    const rule = rules.find(({ name }) => name === code)
    if (!rule) return { unread: `line ${start_location.row}: ${message}` }
    if (rule.exceptIn?.test(path) || rule.unless?.test(message)) continue
    const edits = fix?.edits.map(({ content, location, end_location: end }): Edit => ({
      start: offsetOf(location),
      end: offsetOf(end),
      text: content ?? '',
    }))
    found.push({
      rule,
      message,
      startOffset: offsetOf(start_location),
      endOffset: offsetOf(end_location),
      edits: edits && rule.isFixSafe ? edits : null,
    })
  }
  return { found }
}

/** Rows and columns count from one, columns in UTF-16 units. */
function lineOffsets(text: string): (place: Place) => number {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length)
  return ({ row, column }) => (starts[row - 1] ?? text.length) + column - 1
}
