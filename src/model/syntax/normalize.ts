import type { Token } from './tokens.ts'

const openers = new Set(['(', '[', '{'])
const closers = new Set([')', ']', '}'])

export const isOpener = (token: Token): boolean => token.kind === 'mark' && openers.has(token.text)
export const isCloser = (token: Token): boolean => token.kind === 'mark' && closers.has(token.text)

/** Tokens without what a formatter, `await`, `?.` or a non-null `!` adds. */
export function normalize(tokens: readonly Token[]): Token[] {
  const kept: Token[] = []
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (isNoise(token, tokens[index - 1], next)) continue
    kept.push(plainer(token, kept.at(-1), next))
    unwrapParameter(kept)
  }
  return kept
}

function isNoise(token: Token, previous: Token | undefined, next: Token | undefined): boolean {
  if (token.kind === 'name') return token.text === 'await'
  if (token.kind !== 'mark') return false
  if (token.text === ';') return true
  if (token.text === ',') return next === undefined || isCloser(next)
  if (token.text !== '!' || !previous) return false
  const followsValue = previous.kind === 'name' || isCloser(previous)
  return followsValue && (next === undefined || isCloser(next) || /^(?:[.,[]|\?\.)$/.test(next.text))
}

function plainer(token: Token, previous: Token | undefined, next: Token | undefined): Token {
  if (token.text === '?.' && token.kind === 'mark') return { ...token, text: '.' }
  if (token.kind !== 'text' || next?.text !== ':') return token
  const key = /^"([A-Za-z_$][\w$]*)"$/.exec(token.text)?.[1]
  const isKey = previous?.text === '{' || previous?.text === ','
  return key !== undefined && isKey ? { ...token, kind: 'name', text: key } : token
}

/** `(x) =>` and `x =>` are the same. */
function unwrapParameter(kept: Token[]): void {
  const [open, name, close, arrow] = kept.slice(-4)
  if (arrow?.text !== '=>' || open?.text !== '(' || name?.kind !== 'name' || close?.text !== ')') return
  kept.splice(-4, 4, name, arrow)
}

export const joined = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join(' ')

/** Cuts at a mark or word that stands outside of all brackets. */
export function splitAt(tokens: readonly Token[], isCut: (token: Token) => boolean): Token[][] {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (isOpener(token)) depth += 1
    if (isCloser(token)) depth -= 1
    if (depth === 0 && isCut(token)) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts.filter((part) => part.length > 0)
}

export const splitArguments = (tokens: readonly Token[]): Token[][] =>
  splitAt(tokens, ({ kind, text }) => kind === 'mark' && text === ',')

/** Takes brackets off that enclose everything. */
export function withoutBrackets(tokens: readonly Token[], bracket: string): readonly Token[] {
  if (tokens[0]?.text !== bracket || tokens[0].kind !== 'mark') return tokens
  return closingOf(tokens, 0) === tokens.length - 1 ? tokens.slice(1, -1) : tokens
}

/** Where the bracket at `from` closes, or the last token when it never does. */
export function closingOf(tokens: readonly Token[], from: number): number {
  let depth = 0
  for (let index = from; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token && isOpener(token)) depth += 1
    if (token && isCloser(token) && --depth === 0) return index
  }
  return tokens.length - 1
}

const literalWords = new Set([
  'true',
  'false',
  'null',
  'undefined',
  'None',
  'True',
  'False',
  'nil',
  'NaN',
  'Infinity',
])

/** Values written out: texts, numbers, patterns, and lists and objects of them. */
export function isLiteral(tokens: readonly Token[]): boolean {
  return (
    tokens.length > 0 &&
    tokens.every(({ kind, text }, index) => {
      if (kind === 'name') return literalWords.has(text) || tokens[index + 1]?.text === ':'
      return kind === 'mark' ? /^[[\]{}(),:+-]$/.test(text) : true
    })
  )
}
