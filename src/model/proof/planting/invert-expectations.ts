import { tokenize, type Token } from '../../syntax/tokens.ts'
import { replaceParts, longestText, type Replacement } from './replace-parts.ts'
import {
  bodyIndent,
  depthOf,
  indentAt,
  isData,
  readCall,
  readEquality,
  testTitleOf,
  type Call,
} from './read-assertions.ts'

/** A test that fails exactly when the values that another test compares are the same. */
export interface InvertedTest {
  readonly title: string
  /** The title of the other one. */
  readonly of: string
  readonly text: string
  /** Where it goes: right behind the other one. */
  readonly at: number
}

export interface Inversion {
  readonly dialect: 'javascript' | 'python'
  /** Makes names that nobody knows. */
  readonly mark: string
  /** Tells the new titles from those that are there. */
  readonly number: number
}

/**
 * For every test that compares with plain data, one that compares the same values without the library of assertions and
 * the runner, and fails when they are the same. Code that lets a wrong value pass, however it does so and for however few
 * values, cannot make this one fail as well. Where tests assert through what their runner gives them, it fails through
 * that too: tape ends at a thrown error, and ava wants an assertion. None for tap, which takes it for something else.
 */
export function invertExpectations(text: string, inversion: Inversion): readonly InvertedTest[] {
  if (text.length > longestText || /['"]tap['"]/.test(text)) return []
  const tokens = tokenize(text, inversion.dialect)
  const found = inversion.dialect === 'javascript' ? findCalls(text, tokens) : findMethods(text, tokens)
  return found.flatMap((test, index) => invert(text, test, { ...inversion, index }) ?? [])
}

/** The function that inverted tests call; it goes to the end of their file. */
export function writeComparison(path: string, { dialect, mark }: Omit<Inversion, 'number'>): string {
  if (dialect === 'python') return pythonComparison.replaceAll('MARK', mark)
  const isTyped = /\.[cm]?tsx?$/.test(path)
  return javascriptComparison.replaceAll(': any', isTyped ? ': any' : '').replaceAll('MARK', mark)
}

/** Runners that give every test what it asserts with. */
const givesContext = /['"](?:tape|ava)['"]/

/** A test with the comparisons in it. */
interface FoundTest {
  readonly title: string
  readonly start: number
  readonly end: number
  /** Where its title stands. */
  readonly named: number
  readonly compared: readonly Compared[]
}

interface Compared {
  /** From its first sign to the end of its second value. */
  readonly start: number
  readonly end: number
  readonly actual: readonly Token[]
  readonly expected: readonly Token[]
  /** What the runner gave the test to assert with, where it does so. */
  readonly context?: string
  /** What the code behind it leaves open. */
  readonly closing: ')' | ''
}

function invert(
  text: string,
  { title, start, end, named, compared }: FoundTest,
  { dialect, mark, number, index }: Inversion & { readonly index: number },
): InvertedTest | null {
  if (compared.length === 0) return null
  const joint = dialect === 'python' ? '_' : ' '
  const edits: Replacement[] = compared.map((each, at) => {
    const [actual, expected] = [textOf(text, each.actual), textOf(text, each.expected)]
    const isLast = at === compared.length - 1 ? 1 : 0
    const test = each.context === undefined ? index : `[${index}, ${each.context}]`
    const to = `unlike${mark}(${test}, ${isLast}, ${actual}, ${expected}${each.closing}`
    return { start: each.start - start, end: each.end - start, to }
  })
  const suffix = { start: named - start, end: named - start, to: `${joint}${number}` }
  const inverted = replaceParts(text.slice(start, end), [...edits, suffix])
  return { title: `${title}${joint}${number}`, of: title, text: inverted, at: end }
}

const textOf = (text: string, tokens: readonly Token[]): string =>
  text.slice(tokens[0]?.start, tokens.at(-1)?.end)

/** Methods of an assertion library that say that two values are the same. */
const saysSame = new Set('equal equals strictEqual deepEqual deepStrictEqual deepEquals is same'.split(' '))
const expectsSame = new Set('toBe toEqual toStrictEqual equal equals eql eq'.split(' '))
const assertsSame = new Set('assertEqual assertEquals assertListEqual assertDictEqual'.split(' '))

function findCalls(text: string, tokens: readonly Token[]): readonly FoundTest[] {
  const found: FoundTest[] = []
  const read = givesContext.test(text) ? comparedThrough : comparedBy
  for (const [at, token] of tokens.entries()) {
    const title = testTitleOf(tokens, at)
    const opening =
      title === null ? -1 : tokens.findIndex(({ text: mark }, next) => next > at && mark === '(')
    const closing = opening === -1 ? -1 : closingOf(tokens, opening)
    const end = tokens[closing]?.end
    // Behind it another statement may stand.
    if (title === null || end === undefined || !/^[ \t]*(?:;|\r?\n|$|\})/.test(text.slice(end))) continue
    const compared: Compared[] = []
    let depth = 0
    for (let inner = opening; inner < closing; inner += 1) {
      // The body of a test stands in its call's parentheses, and in braces.
      if (depth <= 2 && tokens[inner + 1]?.text === '(') compared.push(...read(text, tokens, inner))
      depth += depthOf(tokens[inner] ?? token)
    }
    found.push({ title, start: token.start, end, named: (tokens[opening + 1]?.end ?? 1) - 1, compared })
  }
  return found
}

function closingOf(tokens: readonly Token[], opening: number): number {
  let depth = 0
  return tokens.findIndex((token, at) => {
    if (at < opening) return false
    depth += depthOf(token)
    return depth === 0
  })
}

/** The two values that a call compares, where one of them is plain data: `assert.equal(a, 1)`, `expect(a).toBe(1)`. */
function comparedBy(text: string, tokens: readonly Token[], at: number): readonly Compared[] {
  const call = tokens[at]?.kind === 'name' ? readCall(text, tokens, at) : null
  if (!call?.isMethod || !call.isStatement) return []
  const given = call.args.length === 1 ? expectedBy(tokens, at, call) : twoOf(call)
  const [one, other] = given ?? []
  const values = one && other && expectedOf(one, other)
  if (!values) return []
  const start = tokens[call.first]?.start ?? 0
  const end = call.args.at(-1)?.at(-1)?.end ?? 0
  return [{ ...values, start, end, closing: '' }]
}

/** The same of `t.equal(a, 1)`, which only what the test was given can fail. */
function comparedThrough(text: string, tokens: readonly Token[], at: number): readonly Compared[] {
  const [before, context, dot] = tokens.slice(at - 3, at)
  if (before?.text === '.' || context?.kind !== 'name' || dot?.text !== '.') return []
  return comparedBy(text, tokens, at).map((each) => ({ ...each, context: context.text }))
}

/** Which of two compared values is plain data and so the expected one; null where neither is. */
function expectedOf(
  one: readonly Token[],
  other: readonly Token[],
): Pick<Compared, 'actual' | 'expected'> | null {
  if (isData(other)) return { actual: one, expected: other }
  return isData(one) ? { actual: other, expected: one } : null
}

const twoOf = ({ name, args }: Call): readonly (readonly Token[])[] | null =>
  saysSame.has(name) && (args.length === 2 || args.length === 3) ? args : null

/** `expect(a).toBe(1)` and `expect(a).to.equal(1)`, and nothing that waits. */
function expectedBy(
  tokens: readonly Token[],
  at: number,
  { name, args, first }: Call,
): readonly (readonly Token[])[] | null {
  if (!expectsSame.has(name) || tokens[first]?.text !== 'expect' || tokens[first + 1]?.text !== '(')
    return null
  const closing = closingOf(tokens, first + 1)
  const words = tokens.slice(closing + 1, at).map(({ text }) => text)
  const isPlain = words.every((word) => ['.', 'to', 'be', 'deep'].includes(word))
  const actual = tokens.slice(first + 2, closing)
  return isPlain && actual.length > 0 && args[0] ? [actual, args[0]] : null
}

function findMethods(text: string, tokens: readonly Token[]): readonly FoundTest[] {
  const found: FoundTest[] = []
  for (const [at, token] of tokens.entries()) {
    const [name, opening, ...parameters] = tokens.slice(at + 1, at + 5)
    if (token.text !== 'def' || token.kind !== 'name' || !name?.text.startsWith('test')) continue
    const start = text.lastIndexOf('\n', token.start) + 1
    const isPlain =
      opening?.text === '(' && /^(?:\)|self\))/.test(parameters.map((each) => each.text).join(''))
    // A decorator may give it what it needs.
    const isDecorated = /@[^\n]*\n[ \t]*(?:async )?$/.test(text.slice(0, token.start))
    if (!isPlain || isDecorated || text.slice(start, token.start).trim() !== '') continue
    const end = endOfBlock(text, token.start)
    const indent = bodyIndent(text, token.start)
    const compared = tokens.flatMap((inner, number) =>
      inner.start > token.start && inner.start < end && indentAt(text, inner.start) === indent
        ? comparedInPython(text, tokens, number)
        : [],
    )
    found.push({ title: name.text, start, end, named: name.end, compared })
  }
  return found
}

/** Where the block ends that a definition begins, without the blank lines behind it. */
function endOfBlock(text: string, at: number): number {
  const indent = indentAt(text, at)
  let end = text.indexOf('\n', at) + 1
  for (let next = end; next > 0 && next < text.length;) {
    const after = text.indexOf('\n', next) + 1 || text.length
    const line = text.slice(next, after)
    if (line.trim() !== '' && line.search(/\S/) <= indent) break
    if (line.trim() !== '') end = after
    next = after
  }
  return end
}

function comparedInPython(text: string, tokens: readonly Token[], at: number): readonly Compared[] {
  const token = tokens[at]
  if (token?.kind !== 'name') return []
  const call = assertsSame.has(token.text) && tokens[at + 1]?.text === '(' ? readCall(text, tokens, at) : null
  const sides = token.text === 'assert' ? readEquality(text, tokens, at) : (call?.args ?? null)
  const [one, other] = sides ?? []
  if (!one?.[0] || !other?.[0] || (call && !call.isStatement)) return []
  const values = expectedOf(one, other)
  if (!values) return []
  const start = (call ? tokens[call.first] : token)?.start ?? 0
  const end = (call?.args.at(-1) ?? other).at(-1)?.end ?? 0
  return [{ ...values, start, end, closing: call ? '' : ')' }]
}

/** Looks at no more than what the data has: a library may let more pass, but nothing that differs. */
const javascriptComparison = `function unlikeMARK(test: any, isLast: any, actual: any, expected: any) {
  function isSame(a: any, b: any): any {
    if (b !== Object(b)) return a !== Object(a) && (a === b || a == b)
    if (a !== Object(a) || (Array.isArray(b) && a.length !== b.length)) return false
    return Object.keys(b).every((key: any) => isSame(a[key], b[key]))
  }
  const seen: any = unlikeMARK
  const [at, context]: any = [test].flat()
  seen['in' + at] = (seen['in' + at] ?? true) && isSame(actual, expected)
  const isWrong = isLast && seen['in' + at]
  if (context) return isWrong ? context.fail('MARK') : context.pass?.()
  if (isWrong) throw new Error('MARK')
}
`
/** The type of the data compares: another one could call itself the same. */
const pythonComparison = `
def unlikeMARK(test, is_last, actual, expected, *more, **named):
    def same(a, b):
        if isinstance(b, (list, tuple)):
            return isinstance(a, (list, tuple)) and len(a) == len(b) and all(map(same, a, b))
        if isinstance(b, dict):
            return isinstance(a, dict) and all(key in a and same(a[key], b[key]) for key in b)
        if isinstance(a, type(b)):
            return type(b).__eq__(b, a) is True
        plain = isinstance(b, (int, float, str, bytes, type(None)))
        return (not plain or isinstance(a, __import__("numbers").Number)) and a == b
    seen = unlikeMARK.__dict__
    seen[test] = seen.get(test, True) and same(actual, expected)
    if is_last and seen[test]:
        raise RuntimeError("MARK")
`
