import { closingOf, isOpener, normalize } from '../../../model/syntax/normalize.ts'
import { lineCounter } from '../syntax/outline.ts'
import { type Dialect, type Token, tokenize } from '../../../model/syntax/tokens.ts'
import { type AssertionClaim, fluentClaim, valueClaim } from './claim.ts'
import { type OpenTest, type TestFile, openTest, restOfFile } from './test-file.ts'

const testHeads: readonly RegExp[] = [
  /\bfunc\s+(?:\([^)\n]{0,80}\)\s*)?((?:Test|Fuzz|Example|test)\w*)\s*\(/g,
  /(?:#\[(?:\w+::)?test\b[^\]\n]{0,80}\]|@(?:Parameterized|Repeated)?Test\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b[^\]\n]{0,200}\])[^;{}]{0,300}?\b(?:fn|fun|void|Task)\s+`?([\w ]{1,120}?)`?\s*[(<]/g,
  /\b(?:public\s+)?function\s+(test\w+|it_\w+)\s*\(/g,
  /^[ \t]*(?:async\s+)?def\s+(test_?\w*[?!]?)/gm,
  /\b[xf]?(?:it|specify|scenario|test|example)(?:\.\w{1,20})?\s*\(?\s*(['"`][^'"`\n]{1,200}['"`])/g,
  /\bTEST(?:_[FP])?\s*\(\s*(\w+\s*,\s*\w+)/g,
]
const assertionWord =
  /^(?:assert\w*|expect\w*|should\w*|refute\w*|must_\w+|verify\w*|EXPECT_\w+|ASSERT_\w+|XCTAssert\w*|CHECK\w*|REQUIRE\w*|debug_assert\w*|Assert(?:ions?|That)?)$/
const goFailure = /^(?:Errorf?|Fatalf?|Fail|FailNow)$/
const skips =
  /\b(?:t|b)\.Skip(?:Now|f)?\s*\(|#\[\s*ignore\b|@(?:Disabled|Ignore)\b|\[\s*Ignore\b|\bSkip\s*=\s*"|\bmarkTest(?:Skipped|Incomplete)\b|\benabled\s*=\s*false\b|\bassume(?:True|False|That)\s*\(|\bGTEST_SKIP\b|\bDISABLED_\w|\bXCTSkip\w*|\b(?:xit|xdescribe|xcontext|xtest|fit|fdescribe|fcontext)\b|\b(?:it|test|describe|suite|context)\.(?:skip|only|todo|fails|failing|fixme)\b|\bmark\.(?:skip|skipif|xfail)\b|@(?:unittest\.)?(?:skip\w*|expectedFailure)\b|\bpytest\.skip\s*\(|\bskipTest\s*\(|\b(?:skip|pending|focus)(?:\s*:\s*(?:true|["'])|[ \t]+["'])|^[ \t]*(?:skip|pending)[ \t]*$|,\s*:(?:skip|focus|pending)\b|\bt\.(?:skip|todo)\s*\(/gm
const buildSkip = /^\/\/\s*(?:go:build|\+build)\s+ignore\b/m

/** The tests and assertions of any language, by patterns over its tokens. */
export function readGeneric(source: string, dialect: Dialect): TestFile {
  const lineOf = lineCounter(source)
  const tokens = tokenize(source, dialect)
  const heads = findTests(source, lineOf)
  const rest = restOfFile(source)
  const ownerAt = (offset: number): OpenTest => heads[headBefore(heads, offset)]?.test ?? rest
  for (const { claim, start, end } of findClaims(tokens, source)) {
    ownerAt(start).assertions.push({
      ...claim,
      line: lineOf(start),
      shown: source.slice(start, Math.min(end, start + 400)),
      guards: 0,
      isSwallowed: false,
    })
  }
  const starts = new Set(tokens.flatMap(({ kind, start }) => (kind === 'text' ? [] : [start])))
  for (const found of source.matchAll(skips)) {
    const at = found.index + found[0].search(/\S/)
    if (starts.has(at)) (skippedHead(heads, at, found[0])?.test ?? rest).skippedBy ??= found[0].trim()
  }
  if (buildSkip.test(source)) rest.skippedBy = 'a build constraint'
  return { source, dialect, tests: [rest, ...heads.map(({ test }) => test)], isParsed: false }
}

type Head = { readonly test: OpenTest; readonly end: number }

function findTests(source: string, lineOf: (offset: number) => number): Head[] {
  const found = testHeads.flatMap((head) => [...source.matchAll(head)])
  const heads = found.toSorted((a, b) => a.index - b.index)
  return heads.map((head, index) => ({
    test: openTest({
      name: (head[1] ?? '').replaceAll(/\s+/g, ' ').replaceAll(/^['"`]|['"`]$/g, ''),
      suite: '',
      isSuite: false,
      line: lineOf(head.index),
      start: head.index,
      end: heads[index + 1]?.index ?? source.length,
    }),
    end: head.index + head[0].length,
  }))
}

/** The last head that starts at or before an offset, or -1. */
function headBefore(heads: readonly Head[], offset: number): number {
  let low = -1
  let high = heads.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((heads[middle]?.test.start ?? 0) <= offset) low = middle
    else high = middle
  }
  return low
}

/** A call skips the test it stands in; an attribute above a test skips that one. */
function skippedHead(heads: readonly Head[], at: number, text: string): Head | undefined {
  const index = headBefore(heads, at)
  const [owner, next] = [heads[index], heads[index + 1]]
  const isAbove = /^\s*(?:#\[|@|\[|DISABLED_)/.test(text) && (!owner || at >= owner.end)
  return isAbove && next && next.test.start - at < 400 ? next : owner
}

type Found = { readonly claim: AssertionClaim; readonly start: number; readonly end: number }

function findClaims(tokens: readonly Token[], source: string): Found[] {
  const found: Found[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token?.kind !== 'name') continue
    const condition = goFailure.test(token.text) ? goCondition(tokens, index) : null
    if (condition) {
      const claim = valueClaim('a condition that fails the test', condition)
      found.push({ claim, start: condition[0]?.start ?? token.start, end: token.end })
    }
    if (!isAssertionHead(tokens, index)) continue
    const last = statementEnd(tokens, index, source)
    const statement = tokens.slice(index, last + 1)
    found.push({
      claim: statementClaim(normalize(statement)),
      start: token.start,
      end: tokens[last]?.end ?? token.end,
    })
    index = last
  }
  return found
}

function isAssertionHead(tokens: readonly Token[], index: number): boolean {
  const [word, next] = [tokens[index]?.text ?? '', tokens[index + 1]]
  const isGoRequire = word === 'require' && next?.text === '.'
  if (!isGoRequire && !assertionWord.test(word)) return false
  const previous = tokens[index - 1]?.text ?? ''
  // a declaration, an import or a type of that name asserts nothing
  return (
    (!/^(?:def|fn|func|function|fun|void|class|use|import|from|package|namespace|new)$/.test(previous) &&
      next !== undefined &&
      /^(?:[(.!]|::|->)$/.test(next.text)) ||
    isWordCall(tokens, index)
  )
}

/** `assert_equal 1, x` in Ruby, `assert x == 1` in Python. */
function isWordCall(tokens: readonly Token[], index: number): boolean {
  const [token, next, previous] = [tokens[index], tokens[index + 1], tokens[index - 1]]
  const isWord = /^(?:assert(?:_\w+)?|refute\w*|must_\w+|should\w*)$/.test(token?.text ?? '')
  return (
    isWord &&
    next !== undefined &&
    next.kind !== 'mark' &&
    previous?.text !== 'def' &&
    previous?.text !== 'import'
  )
}

/** To the end of the line outside of brackets, and on where the next line starts with a dot. */
function statementEnd(tokens: readonly Token[], from: number, source: string): number {
  for (let index = from; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (!token) break
    if (token.text === ';' || token.text === '}') return Math.max(from, index - 1)
    const end = isOpener(token) ? closingOf(tokens, index) : index
    const [last, next] = [tokens[end], tokens[end + 1]]
    if (!last || !next) return tokens.length - 1
    const isLineEnd = source.slice(last.end, Math.min(next.start, last.end + 2000)).includes('\n')
    if (isLineEnd && !/^(?:\.|->|\?\.)$/.test(next.text)) return end
    index = end
  }
  return tokens.length - 1
}

/** `if got != want { t.Errorf(…) }`: the condition is the assertion. */
function goCondition(tokens: readonly Token[], index: number): Token[] | null {
  const isCall =
    tokens[index - 1]?.text === '.' && tokens[index - 3]?.text === '{' && tokens[index + 1]?.text === '('
  if (!isCall) return null
  for (let start = index - 4; start > Math.max(0, index - 80); start -= 1) {
    if (/^[{};]$/.test(tokens[start]?.text ?? '')) return null
    if (tokens[start]?.text === 'if') return tokens.slice(start + 1, index - 3)
  }
  return null
}

function statementClaim(statement: readonly Token[]): AssertionClaim {
  const open = statement.findIndex(isOpener)
  const wordEnd = open < 0 ? 1 : open
  const words = statement.slice(0, wordEnd).flatMap(({ kind, text }) => (kind === 'name' ? [text] : []))
  if (
    open < 0 ||
    (wordEnd > 1 && /^(?:assert|refute)/.test(words[0] ?? '') && statement[1]?.kind !== 'mark')
  ) {
    return valueClaim(words[0] ?? '', statement.slice(1))
  }
  const close = closingOf(statement, open)
  const args = statement.slice(open + 1, close)
  const rest = statement.slice(close + 1)
  if (rest[0]?.text !== '.' && rest[0]?.text !== '->') return valueClaim(words.at(-1) ?? '', args)
  const later = rest.findLastIndex(isOpener)
  const restWords = rest
    .slice(0, later < 0 ? rest.length : later)
    .flatMap(({ kind, text }) => (kind === 'name' ? [text] : []))
  return fluentClaim(
    args,
    restWords,
    later < 0 ? rest.filter(({ kind }) => kind !== 'name' && kind !== 'mark') : rest.slice(later + 1, -1),
  )
}
