import { type SyntaxLanguage, lineCounter, outline, syntaxLanguage } from '../syntax/outline.ts'
import { type Inspection, nothingSeen, quote } from './tampering.ts'
import { type Occurrence, additions, lineAt } from './occurrences.ts'

/** What a type escape looks like in the text, and the kinds of node that make it one. */
type Escape = { readonly hint: RegExp; readonly kinds: readonly string[]; readonly isEscape: RegExp }

const typescript: Escape = {
  hint: /\bany\b|\bas\s+unknown\s+as\b/,
  kinds: ['predefined_type', 'as_expression'],
  isEscape: /^any$|\bas\s+unknown\s+as\s+[^;\n]{1,300}$/,
}
const python: Escape = {
  hint: /\bAny\b|@(?:typing\.)?no_type_check\b/,
  kinds: ['type', 'call', 'decorator'],
  isEscape:
    /^(?:(?:typing|t)\s*\.\s*)?Any$|^(?:typing\s*\.\s*)?cast\s*\(\s*["']?(?:typing\s*\.\s*)?Any\b|^@(?:typing\.)?no_type_check$/,
}
const escapes: Readonly<Record<SyntaxLanguage, Escape | null>> = {
  JavaScript: null,
  TypeScript: typescript,
  Tsx: typescript,
  Python: python,
}

/** Places where a source file newly leaves the type checker. */
export function inspectTypeEscapes(path: string, before: string, after: string): Inspection {
  const language = syntaxLanguage(path)
  const escape = language && escapes[language]
  if (!language || !escape?.hint.test(after)) return nothingSeen
  const now = find(after, language, escape)
  const old = escape.hint.test(before) ? find(before, language, escape) : []
  const lineOf = lineCounter(after)
  return {
    signs: additions(old, now).map(({ index, text }) => ({
      kind: 'type_escape_added',
      line: lineOf(index),
      what: `the type checker is bypassed: ${quote(text)}`,
      moveKeys: [`escape ${text}`],
    })),
    moveKeys: additions(now, old).map(({ text }) => `escape ${text}`),
  }
}

/** Long nodes are cut: a cast is recognised by how it starts or ends. */
function find(source: string, language: SyntaxLanguage, { kinds, isEscape, hint }: Escape): Occurrence[] {
  const spans = outline(source, language, kinds)
  const places = spans
    ? spans.filter(({ start, end }) => isEscape.test(shortText(source, start, end))).map(({ start }) => start)
    : [...source.matchAll(new RegExp(hint, 'g'))].map(({ index }) => index)
  return places.map((index) => ({ index, text: lineAt(source, index), key: 'escape' }))
}

const shortText = (source: string, start: number, end: number): string =>
  end - start <= 800 ? source.slice(start, end) : source.slice(end - 800, end)
