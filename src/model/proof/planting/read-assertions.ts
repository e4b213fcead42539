import type { Token } from '../../syntax/tokens.ts'

/** The names under which JavaScript starts a test. */
const startsTest = new Set(['test', 'it', 'specify'])
const isPassedOver = /^(?:skip|todo|fails|failing)$/

/** How much deeper in brackets the code is behind a token. */
export const depthOf = ({ kind, text }: Token): number =>
  kind !== 'mark' ? 0 : '([{'.includes(text) ? 1 : ')]}'.includes(text) ? -1 : 0

/** The title of the test that starts here; null where none starts, or one that is passed over or has no plain title. */
export function testTitleOf(tokens: readonly Token[], start: number): string | null {
  if (!startsTest.has(tokens[start]?.text ?? '') || tokens[start - 1]?.text === '.') return null
  let at = start + 1
  let isLeftOut = false
  while (tokens[at]?.text === '.' && tokens[at + 1]?.kind === 'name') {
    isLeftOut ||= isPassedOver.test(tokens[at + 1]?.text ?? '')
    at += 2
  }
  const [opening, title, next] = tokens.slice(at, at + 3)
  if (opening?.text !== '(' || title?.kind !== 'text' || next?.text !== ',') return null
  const plain = title.text.slice(1, -1)
  return isLeftOut || plain === '' || /\$\{|\\|%/.test(plain) ? null : plain
}

/** A call that may be an assertion. */
export interface Call {
  readonly name: string
  /** Whether something stands before the name: `assert.equal`, `expect(a).toBe`. */
  readonly isMethod: boolean
  readonly isStatement: boolean
  readonly args: readonly (readonly Token[])[]
  /** The number of its first token. */
  readonly first: number
}

/** The call at a name, with its arguments; null for one that is negated or never closed. */
export function readCall(text: string, tokens: readonly Token[], at: number): Call | null {
  const args: Token[][] = [[]]
  let depth = 1
  for (const token of tokens.slice(at + 2, at + longestCall)) {
    depth += depthOf(token)
    if (depth === 0) break
    if (depth === 1 && token.text === ',') args.push([])
    else args.at(-1)?.push(token)
  }
  const start = startOfChain(tokens, at)
  const chain = tokens.slice(start, at)
  if (depth !== 0 || chain.some(isNegation) || tokens[start]?.text === 'Object') return null
  const isMethod = tokens[at - 1]?.text === '.'
  const name = tokens[at]?.text ?? ''
  const isStatement = startsStatement(text, tokens, start)
  return { name, isMethod, isStatement, args: args.filter((arg) => arg.length > 0), first: start }
}

const isNegation = ({ kind, text }: Token): boolean => kind === 'name' && /^(?:not|never)$/.test(text)

/** A call of more words is a table. */
const longestCall = 2_000

/** The first token of `a.b(c).name`, seen from the name. */
function startOfChain(tokens: readonly Token[], name: number): number {
  let at = name
  while (tokens[at - 1]?.text === '.') {
    at -= 2
    if (tokens[at]?.text !== ')') continue
    let depth = 0
    do {
      depth += depthOf(tokens[at] ?? closed)
      at -= 1
    } while (depth < 0 && at > 0)
  }
  return Math.max(0, at)
}

const closed: Token = { kind: 'mark', text: '(', start: 0, end: 0 }

function startsStatement(text: string, tokens: readonly Token[], start: number): boolean {
  const before = tokens[start - 1]
  if (!before || ['{', '}', ';', '=>', 'await'].includes(before.text)) return true
  return text.slice(before.end, tokens[start]?.start).includes('\n')
}

/** Words that are data, and what is the contrary. */
export const constants = new Map([
  ['true', 'false'],
  ['false', 'true'],
  ['True', 'False'],
  ['False', 'True'],
])
/** Whether a token names a part of data. */
export const isKey = (tokens: readonly Token[], at: number): boolean => tokens[at + 1]?.text === ':'

/** Whether an expression is plain data. */
export const isData = (tokens: readonly Token[]): boolean =>
  tokens.every(({ kind, text }, at) => {
    if (kind === 'mark') return '[]{},:-+'.includes(text)
    return kind === 'number' || kind === 'text' || constants.has(text) || isKey(tokens, at)
  })

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** How far the line is indented that a place is in. */
export const indentAt = (text: string, at: number): number =>
  /^[ \t]*/.exec(text.slice(lineStart(text, at), at + 1))?.[0].length ?? 0

/** How far the line after that of a definition is indented. */
export function bodyIndent(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? -1 : (/^(?:[ \t]*\n)*([ \t]*)/.exec(text.slice(end + 1))?.[1]?.length ?? -1)
}

const joins = new Set(['and', 'or', 'if', 'for', 'in', 'is', 'not', '!=', '<', '>', '<=', '>='])

/** Both sides of `assert a == b`, given the number of its first token; null for another statement. */
export function readEquality(
  text: string,
  tokens: readonly Token[],
  at: number,
): readonly [readonly Token[], readonly Token[]] | null {
  const sides: Token[][] = [[]]
  let depth = 0
  for (const token of tokens.slice(at + 1, at + longestCall)) {
    const isNewLine = text.slice(tokens[at]?.end, token.start).includes('\n')
    if (depth === 0 && (isNewLine || (token.kind === 'mark' && ',;'.includes(token.text)))) break
    depth += depthOf(token)
    if (depth === 0 && joins.has(token.text) && token.kind !== 'text') return null
    if (depth === 0 && token.text === '==') sides.push([])
    else sides.at(-1)?.push(token)
  }
  const [left, right] = sides
  return left && right && sides.length === 2 ? [left, right] : null
}
