import python from '@ast-grep/lang-python'
import { parse, registerDynamicLanguage, type SgNode } from '@ast-grep/napi'
import { isParseable } from '../../../model/syntax/is-parseable.ts'
import type { Dialect } from '../../../model/syntax/tokens.ts'

export type SyntaxLanguage = 'JavaScript' | 'TypeScript' | 'Tsx' | 'Python'

/** One node of interest; offsets are those of the string, parents precede their children. */
export type SyntaxSpan = {
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly line: number
  readonly parent: SyntaxSpan | null
}

const languages: readonly (readonly [RegExp, SyntaxLanguage])[] = [
  [/\.[cm]?jsx?$/i, 'JavaScript'],
  [/\.[cm]?ts$/i, 'TypeScript'],
  [/\.tsx$/i, 'Tsx'],
  [/\.pyi?$/i, 'Python'],
]

export function syntaxLanguage(path: string): SyntaxLanguage | null {
  return languages.find(([pattern]) => pattern.test(path))?.[1] ?? null
}

export function dialectOf(path: string): Dialect {
  const language = syntaxLanguage(path)
  if (language !== null) return language === 'Python' ? 'python' : 'javascript'
  if (/\.rs$/i.test(path)) return 'rust'
  return /\.(?:rb|exs?|sh|bash|pl|pm|t|r|jl)$/i.test(path) ? 'ruby' : 'other'
}

let pythonIsRegistered = false

/** The nodes of the given kinds in the order of the text, or null when the text does not parse. */
export function outline(
  source: string,
  language: SyntaxLanguage,
  kinds: readonly string[],
): readonly SyntaxSpan[] | null {
  const root = parseSource(source, language)
  if (!root) return null
  const spans: SyntaxSpan[] = []
  let parent: SyntaxSpan | null = null
  for (const node of root.findAll({ rule: { any: [...kinds, 'ERROR'].map((kind) => ({ kind })) } })) {
    const kind = String(node.kind())
    if (kind === 'ERROR') return null
    const { start, end } = node.range()
    while (parent && parent.end <= start.index) parent = parent.parent
    parent = { kind, start: start.index, end: end.index, line: start.line + 1, parent }
    spans.push(parent)
  }
  return spans
}

/** The whole tree of a text, or null when there is no parser for it or it does not parse. */
export function parseWhole(source: string, path: string): SgNode | null {
  const language = syntaxLanguage(path)
  const root = language && parseSource(source, language)
  return root && !root.find({ rule: { kind: 'ERROR' } }) ? root : null
}

function parseSource(source: string, language: SyntaxLanguage): SgNode | null {
  if (!isParseable(source, language === 'Python' ? 'python' : 'javascript')) return null
  if (language === 'Python' && !pythonIsRegistered) {
    registerDynamicLanguage({ Python: python })
    pythonIsRegistered = true
  }
  const root = parse(language, source).root()
  return root.kind() === 'ERROR' ? null : root
}

/** Offset → line, counted once. */
export function lineCounter(source: string): (offset: number) => number {
  const starts: number[] = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
