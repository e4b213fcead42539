import type { LinterRule } from '../catalogue/linter-rule.ts'
import type { Edit } from '../engine/rule.ts'
import type { Found, LinterScan, Source } from '../engine/found.ts'

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

/** Names that come from whatever loads a file: notebooks, type checkers, translations, profilers. */
const builtins = ['get_ipython', 'display', 'reveal_type', '_', 'ngettext', 'profile', 'unicode', 'xrange']

async function createChecker(rules: readonly LinterRule[]): Promise<Checker> {
  const { Workspace, PositionEncoding } = await import('@astral-sh/ruff-wasm-nodejs')
  const select = rules.map(({ name }) => name)
  const workspace = new Workspace(
    { lint: { select }, builtins, 'target-version': 'py314' },
    PositionEncoding.Utf16,
  )
  return { check: (text) => workspace.check(text) as readonly Diagnostic[] }
}

export function lintWithRuff(
  { path, text }: Source,
  rules: readonly LinterRule[],
  ruff: Checker,
): LinterScan {
  const offsetOf = lineOffsets(text)
  const found: Found[] = []
  for (const { code, message, start_location, end_location, fix } of ruff.check(text)) {
    const rule = rules.find(({ name }) => name === code)
    if (!rule) return { unread: `line ${start_location.row}: ${message}` }
    const [start, end] = [offsetOf(start_location), offsetOf(end_location)]
    const place = { path, text, message, start, end }
    if (rule.accepts?.(place) === false) continue
    const own = rule.isFixSafe ? fix?.edits.map((edit) => readEdit(edit, offsetOf)) : undefined
    found.push({
      rule,
      ...(rule.title !== undefined && { title: rule.title }),
      message,
      startOffset: start,
      endOffset: end,
      edits: rule.fixAt?.(place) ?? own ?? null,
    })
  }
  return { found: found.filter((one) => !found.some((other) => isPartOf(one, other))) }
}

/** Rules that say the other half of what another says of one place: the argument that goes nowhere is the one that is missing. */
const halves: Readonly<Record<string, string>> = { F504: 'F505', F522: 'F524', F523: 'F524' }

const isPartOf = (one: Found, { rule, startOffset, endOffset }: Found): boolean =>
  halves[one.rule.id.replace('ruff/', '')] === rule.id.replace('ruff/', '') &&
  one.startOffset === startOffset &&
  one.endOffset === endOffset

type RuffEdit = NonNullable<Diagnostic['fix']>['edits'][number]

const readEdit = (
  { content, location, end_location: end }: RuffEdit,
  offsetOf: (place: Place) => number,
): Edit => ({ start: offsetOf(location), end: offsetOf(end), text: content ?? '' })

/** Rows and columns count from one, columns in UTF-16 units. */
function lineOffsets(text: string): (place: Place) => number {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length)
  return ({ row, column }) => (starts[row - 1] ?? text.length) + column - 1
}
