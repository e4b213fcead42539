/** `mark` is an operator or bracket; `text` holds its content between double quotes, whatever the quotes were. */
export type Token = {
  readonly kind: 'name' | 'number' | 'text' | 'pattern' | 'mark'
  readonly text: string
  readonly start: number
  readonly end: number
}

export type Dialect = 'javascript' | 'python' | 'rust' | 'ruby' | 'other'

// Every alternative may end unclosed, so that no text is ever scanned twice from a later start.
const slashComments = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`
const hashComments = String.raw`#[^\n]*`
const doubleQuoted = String.raw`"(?:[^"\\\n]|\\[^])*"?`
const singleQuoted = String.raw`'(?:[^'\\\n]|\\[^])*'?`
const backQuoted = '`(?:[^`\\\\]|\\\\[^])*`?'
const tripleQuoted = String.raw`[rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$))`
const prefixedText = String.raw`[rbfuRBFU]{1,2}(?:${doubleQuoted}|${singleQuoted})`
const rustCharacter = String.raw`'(?:[^'\\\n]|\\[^'\n]{1,10})'|'\w*`

const comments: Readonly<Record<Dialect, string>> = {
  javascript: slashComments,
  python: hashComments,
  rust: slashComments,
  ruby: hashComments,
  other: String.raw`${slashComments}|#(?![[!])[^\n]*`,
}
const texts: Readonly<Record<Dialect, string>> = {
  javascript: `${doubleQuoted}|${singleQuoted}|${backQuoted}`,
  python: `${tripleQuoted}|${prefixedText}|${doubleQuoted}|${singleQuoted}`,
  rust: `${doubleQuoted}|${rustCharacter}`,
  ruby: `${doubleQuoted}|${singleQuoted}|${backQuoted}`,
  other: `${doubleQuoted}|${singleQuoted}|${backQuoted}`,
}
const numbers = String.raw`\d[\w]*(?:\.\d\w*)?(?:(?<=[eE])[+-]\d+)?`
const names = String.raw`[\p{L}\p{N}_$@]+[!?]?(?=[^=]|$)|[\p{L}\p{N}_$@]+`
const plainNames = String.raw`[\p{L}\p{N}_$@]+`
const marks = String.raw`===|!==|>>>|\*\*|\.\.\.|=>|->|::|\?\.|\?\?|==|!=|>=|<=|&&|\|\||:=|=~|[^]`

const scanners = new Map<Dialect, RegExp>()

function scannerOf(dialect: Dialect): RegExp {
  const known = scanners.get(dialect)
  if (known) return known
  const nameOf = dialect === 'ruby' ? names : plainNames
  const source = `(\\s+|${comments[dialect]})|(${texts[dialect]})|(${numbers})|(${nameOf})|(?:${marks})`
  const scanner = new RegExp(source, 'uy')
  scanners.set(dialect, scanner)
  return scanner
}

const regexLiteral = /\/(?:[^/\\\n[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\]?)+\/?[a-z]*/y
const divides = /^[\p{L}\p{N}_$)\]}"]/u
const wordsBeforePattern = new Set(['return', 'typeof', 'case', 'of', 'in', 'and', 'or', 'not', 'when', 'if'])

/** Cuts program text into tokens, comments and blanks left out; linear, and never fails. */
export function tokenize(source: string, dialect: Dialect): Token[] {
  const scanner = scannerOf(dialect)
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    const pattern = dialect === 'javascript' ? patternAt(source, at, tokens.at(-1)) : null
    if (pattern !== null) {
      tokens.push({ kind: 'pattern', text: pattern, start: at, end: at + pattern.length })
      at += pattern.length
      continue
    }
    scanner.lastIndex = at
    const found = scanner.exec(source)
    const end = found && scanner.lastIndex > at ? scanner.lastIndex : at + 1
    if (found && found[1] === undefined) tokens.push(tokenOf(found, at, end))
    at = end
  }
  return tokens
}

function tokenOf(found: RegExpExecArray, start: number, end: number): Token {
  const [whole, , text, number, name] = found
  if (text !== undefined) return { kind: 'text', text: plainText(text), start, end }
  if (number !== undefined) return { kind: 'number', text: number.replaceAll('_', ''), start, end }
  return { kind: name === undefined ? 'mark' : 'name', text: whole, start, end }
}

/** `/` starts a pattern where no value stands before it. */
function patternAt(source: string, at: number, previous: Token | undefined): string | null {
  const next = source[at + 1]
  if (source[at] !== '/' || next === '/' || next === '*') return null
  if (previous && !wordsBeforePattern.has(previous.text) && divides.test(previous.text)) return null
  regexLiteral.lastIndex = at
  return regexLiteral.exec(source)?.[0] ?? null
}

function plainText(text: string): string {
  const opening = /^([a-zA-Z]*)("""|'''|["'`])/.exec(text)
  if (!opening) return text
  const [whole, prefix = '', quotes = ''] = opening
  const isClosed = text.length >= whole.length + quotes.length && text.endsWith(quotes)
  const content = text.slice(whole.length, isClosed ? -quotes.length : undefined)
  return `${prefix.toLowerCase()}"${content.replaceAll(/\\(["'`])/g, '$1')}"`
}
