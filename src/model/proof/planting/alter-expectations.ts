import { tokenize, type Token } from '../../syntax/tokens.ts'

/** A file of tests whose assertions expect something else, so that the tests under these titles must fail. */
export interface AlteredTests {
  readonly text: string
  readonly titles: readonly string[]
  /** Tests that may not reach the altered value, or whose helper may not compare it: only one that passed before tells something. */
  readonly unsure: readonly string[]
}

/** How the tests of a language are read. */
export interface TestDialect {
  readonly dialect: 'javascript' | 'python'
  /** Added to numbers, and to the end of texts. */
  readonly by: number
}

/**
 * Changes what the assertions of a file of tests expect. Its own titles, calls and surroundings stay: anything that
 * lets wrong results pass there, the code under test included, lets these pass as well. Null where nothing can be
 * changed.
 */
export function alterExpectations(text: string, { dialect, by }: TestDialect): AlteredTests | null {
  if (text.length > longestText) return null
  const tokens = tokenize(text, dialect)
  const found = dialect === 'javascript' ? alterCalls(text, tokens, by) : alterPython(text, tokens, by)
  // The last one of each test: behind a failing one nothing would run.
  const altered = [...new Map(found.map((each) => [each.start, each])).values()].filter(
    ({ title }, at, all) => all.findLastIndex((other) => other.title === title) === at,
  )
  if (altered.length === 0) return null
  const { sure = [], unsure = [] } = Object.groupBy(altered, ({ isSure }) => (isSure ? 'sure' : 'unsure'))
  const titlesOf = (all: readonly Altered[]): readonly string[] => all.map(({ title }) => title)
  return { text: applyEdits(text, altered), titles: titlesOf(sure), unsure: titlesOf(unsure) }
}

/** A longer file of tests is a table of data. */
const longestText = 200_000

interface Edit {
  readonly start: number
  readonly end: number
  readonly to: string
}

interface Altered extends Edit {
  readonly title: string
  readonly isSure: boolean
}

const applyEdits = (text: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, { start, end, to }) => done.slice(0, start) + to + done.slice(end), text)

/** Assertions that compare two values, by the last word of their call. */
const compares = new Set(
  'equal equals strictEqual deepEqual deepStrictEqual looseEqual deepEquals eql eq is same assertEqual assertEquals assertIs assertListEqual assertTupleEqual assertDictEqual assertSetEqual assertMultiLineEqual assertAlmostEqual'.split(
    ' ',
  ),
)
/** Assertions whose one argument is what is expected. */
const expectsOne = new Set(
  'toBe toEqual toStrictEqual toHaveLength toBeCloseTo toHaveBeenCalledTimes equal equals eql eq lengthOf'.split(
    ' ',
  ),
)
/** Functions of a project that may be assertions. */
const soundsLikeAssertion = /same|equal|^eq|assert|expect|check|must|verify/i

const startsTest = new Set(['test', 'it', 'specify'])
const isPassedOver = /^(?:skip|todo|fails|failing)$/

function alterCalls(text: string, tokens: readonly Token[], by: number): readonly Altered[] {
  const altered: Altered[] = []
  let test: { readonly title: string; readonly depth: number } | null = null
  let depth = 0
  // A call among the arguments of an altered call is the compared value, whatever it is called.
  let comparedUntil = 0
  for (const [at, token] of tokens.entries()) {
    const isCalled = token.kind === 'name' && tokens[at + 1]?.text === '(' && token.start >= comparedUntil
    if (startsTest.has(token.text) && tokens[at - 1]?.text !== '.') {
      const title = titleOf(tokens, at)
      test = title === null ? test : { title, depth }
    } else if (isCalled && test) {
      const call = readCall(text, tokens, at)
      const edit = call && alterCall(call, by)
      // The body of a test stands in its call's parentheses, and in braces.
      const isStraight = depth <= test.depth + 2 && call?.isStatement === true
      if (edit) {
        altered.push({ ...edit, title: test.title, isSure: isStraight && !edit.isGuess })
        comparedUntil = call?.args.at(-1)?.at(-1)?.end ?? 0
      }
    }
    depth += depthOf(token)
    if (test && token.text === ')' && depth <= test.depth) test = null
  }
  return altered
}

const depthOf = ({ kind, text }: Token): number =>
  kind !== 'mark' ? 0 : '([{'.includes(text) ? 1 : ')]}'.includes(text) ? -1 : 0

/** The title of the test that starts here; null for one that is passed over or has no plain title. */
function titleOf(tokens: readonly Token[], start: number): string | null {
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

interface Call {
  readonly name: string
  /** Whether something stands before the name: `assert.equal`, `expect(a).toBe`. */
  readonly isMethod: boolean
  readonly isStatement: boolean
  readonly args: readonly (readonly Token[])[]
}

/** The call at a name, with its arguments; null for one that is negated or never closed. */
function readCall(text: string, tokens: readonly Token[], at: number): Call | null {
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
  return { name, isMethod, isStatement, args: args.filter((arg) => arg.length > 0) }
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

/** The edit that makes a call expect something else; null for a call that compares nothing plain. */
function alterCall({ name, isMethod, isStatement, args }: Call, by: number) {
  if (args.length === 1 && isMethod && expectsOne.has(name)) return alterOneOf(args, by)
  if (args.length < 2 || args.length > 3) return null
  const compared = args.slice(0, 2)
  if (isMethod) return compares.has(name) ? alterOneOf(compared.toReversed(), by) : null
  const isGuess = isStatement && (compares.has(name) || soundsLikeAssertion.test(name))
  const edit = isGuess ? alterOneOf(compared.toReversed(), by) : null
  return edit && { ...edit, isGuess }
}

interface PlainEdit extends Edit {
  readonly isGuess?: boolean
}

/** The first of these expressions that is plain data, as other data of the same kind. */
function alterOneOf(expressions: readonly (readonly Token[])[], by: number): PlainEdit | null {
  for (const tokens of expressions) {
    const edit = isData(tokens) ? alterData(tokens, by) : null
    if (edit) return edit
  }
  return null
}

const constants = new Map([
  ['true', 'false'],
  ['false', 'true'],
  ['True', 'False'],
  ['False', 'True'],
])
const isKey = (tokens: readonly Token[], at: number): boolean => tokens[at + 1]?.text === ':'

const isData = (tokens: readonly Token[]): boolean =>
  tokens.every(({ kind, text }, at) => {
    if (kind === 'mark') return '[]{},:-+'.includes(text)
    return kind === 'number' || kind === 'text' || constants.has(text) || isKey(tokens, at)
  })

function alterData(tokens: readonly Token[], by: number): PlainEdit | null {
  for (const [at, { kind, text, start, end }] of tokens.entries()) {
    if (isKey(tokens, at)) continue
    const constant = kind === 'name' ? constants.get(text) : undefined
    if (constant !== undefined) return { start, end, to: constant }
    if (kind === 'number' && /^\d{1,12}(?:\.\d{1,6})?$/.test(text))
      return { start, end, to: String(Number(text) + by) }
    const isPlain = kind === 'text' && end - start === text.length && !/\\|\$\{/.test(text)
    if (isPlain) return { start: end - 1, end: end - 1, to: String(by) }
  }
  return null
}

function alterPython(text: string, tokens: readonly Token[], by: number): readonly Altered[] {
  const altered: Altered[] = []
  let test: { readonly title: string; readonly indent: number } | null = null
  let comparedUntil = 0
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1]
    if (token.text === 'def' && token.kind === 'name' && next)
      test = next.text.startsWith('test') ? { title: next.text, indent: bodyIndent(text, token.start) } : null
    if (!test || token.kind !== 'name' || token.start < comparedUntil) continue
    const isStraight = indentAt(text, token.start) === test.indent
    const edit = token.text === 'assert' ? alterAssert(text, tokens, { at, by }) : null
    const call = next?.text === '(' && compares.has(token.text) ? readCall(text, tokens, at) : null
    const found =
      edit ?? (call && call.args.length < 4 ? alterOneOf(call.args.slice(0, 2).toReversed(), by) : null)
    if (!found) continue
    altered.push({ ...found, title: test.title, isSure: isStraight })
    comparedUntil = call?.args.at(-1)?.at(-1)?.end ?? found.end
  }
  return altered
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** How far the line is indented that a place is in. */
const indentAt = (text: string, at: number): number =>
  /^[ \t]*/.exec(text.slice(lineStart(text, at), at + 1))?.[0].length ?? 0

/** How far the line after that of a definition is indented. */
function bodyIndent(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? -1 : (/^(?:[ \t]*\n)*([ \t]*)/.exec(text.slice(end + 1))?.[1]?.length ?? -1)
}

const joins = new Set(['and', 'or', 'if', 'for', 'in', 'is', 'not', '!=', '<', '>', '<=', '>='])

/** `assert a == 1` as one that expects something else. */
function alterAssert(
  text: string,
  tokens: readonly Token[],
  { at, by }: { readonly at: number; readonly by: number },
): PlainEdit | null {
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
  return sides.length === 2 ? alterOneOf(sides.toReversed(), by) : null
}
