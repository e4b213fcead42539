import { tokenize, type Token } from '../../syntax/tokens.ts'
import {
  bodyIndent,
  constants,
  depthOf,
  indentAt,
  isData,
  isKey,
  readCall,
  readEquality,
  testTitleOf,
  type Call,
} from './read-assertions.ts'
import { longestText, type Replacement } from './replace-parts.ts'

/** A file of tests whose assertions expect something else, so that the tests under these titles must fail. */
export interface AlteredTests {
  /** What is changed in the text. */
  readonly edits: readonly Replacement[]
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
  return { edits: altered, titles: titlesOf(sure), unsure: titlesOf(unsure) }
}

interface Altered extends Replacement {
  readonly title: string
  readonly isSure: boolean
}

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

function alterCalls(text: string, tokens: readonly Token[], by: number): readonly Altered[] {
  const altered: Altered[] = []
  let test: { readonly title: string; readonly depth: number } | null = null
  let depth = 0
  // A call among the arguments of an altered call is the compared value, whatever it is called.
  let comparedUntil = 0
  for (const [at, token] of tokens.entries()) {
    const isCalled = token.kind === 'name' && tokens[at + 1]?.text === '(' && token.start >= comparedUntil
    const title = testTitleOf(tokens, at)
    if (title !== null) test = { title, depth }
    else if (isCalled && test) {
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

interface PlainEdit extends Replacement {
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

/** `assert a == 1` as one that expects something else. */
function alterAssert(
  text: string,
  tokens: readonly Token[],
  { at, by }: { readonly at: number; readonly by: number },
): PlainEdit | null {
  const sides = readEquality(text, tokens, at)
  return sides && alterOneOf(sides.toReversed(), by)
}
