import { type Chain, type Link, chainsOf } from '../syntax/chains.ts'
import { type SyntaxSpan, type SyntaxLanguage, outline } from '../syntax/outline.ts'
import { type AssertionClaim, calledClaims, fluentClaim, rowClaims, sealed } from './claim.ts'
import {
  type Collector,
  type SyntaxFrame,
  collector,
  finish,
  insideTest,
  isDropping,
  tokensBetween,
  walk,
} from './collector.ts'
import { type TestFile, openTest, pathOf } from './test-file.ts'
import { joined } from '../../../model/syntax/normalize.ts'

const functionKinds = new Set([
  'arrow_function',
  'function_expression',
  'function_declaration',
  'generator_function',
  'generator_function_declaration',
  'method_definition',
])
const kinds = [
  'call_expression',
  'if_statement',
  'ternary_expression',
  'switch_case',
  'try_statement',
  'catch_clause',
  'return_statement',
  'variable_declarator',
  ...functionKinds,
]

/** The tests and assertions of a JavaScript or TypeScript file, or null when it does not parse. */
export function readJavaScript(source: string, language: SyntaxLanguage): TestFile | null {
  const spans = outline(source, language, kinds)
  if (!spans) return null
  const collected = collector(source, 'javascript', spans)
  const chains = chainsOf(source, spans, 'call_expression')
  walk(spans, collected.root, (span, frame) => {
    const chain = chains.get(span)
    return chain ? enterChain(collected, chain, frame) : enterStatement(collected, span, frame)
  })
  return finish(collected)
}

function enterStatement(collected: Collector, span: SyntaxSpan, frame: SyntaxFrame): SyntaxFrame {
  if (functionKinds.has(span.kind)) return { ...frame, depth: frame.depth + 1 }
  switch (span.kind) {
    case 'if_statement':
    case 'ternary_expression':
    case 'switch_case':
      return { ...frame, guards: frame.guards + 1 }
    case 'try_statement':
      return { ...frame, attempt: { swallows: false } }
    case 'catch_clause':
      if (frame.attempt) frame.attempt.swallows = isDropping(collected.source, span)
      return { ...frame, attempt: null }
    case 'return_statement':
      if (frame.depth === 1 && !frame.test.isSuite)
        collected.returns.push({ test: frame.test, end: span.end })
      return frame
    default:
      return frame
  }
}

function enterChain(collected: Collector, chain: Chain, frame: SyntaxFrame): SyntaxFrame {
  const words = chain.links[0]?.words ?? []
  if (isTestWord(words)) return enterTest(collected, chain, frame)
  if (isRunTimeSkip(words)) frame.test.skippedBy ??= `${words.join('.')}()`
  const claims = frame.isInAssertion ? [] : claimsOf(collected, chain)
  if (claims.length === 0) return frame
  const isDropped = chain.links.slice(1).some(({ words: link }) => link[0] === 'catch')
  for (const claim of claims) collected.seen.push({ claim, frame, at: chain.span, end: chain.end, isDropped })
  return { ...frame, isInAssertion: true }
}

const testWords = new Set(
  'it test specify xit xtest fit xspecify describe xdescribe fdescribe suite context xcontext'.split(' '),
)
const suiteWord = /^[xf]?(?:describe|suite|context|module)$/
const contextWords = new Set(['t', 'tap', 'ctx', 'Deno', 'QUnit', 'ava'])
const tableWords = new Set(['each', 'for', 'skipIf', 'runIf', 'failing'])
const notTests = new Set(
  'step beforeEach afterEach beforeAll afterAll before after extend use setTimeout slow info configure'.split(
    ' ',
  ),
)
const skipWords = new Set('skip only todo fails failing fixme fail skipIf runIf ignore'.split(' '))
const skippingPrefix = /^(?:x(?:it|test|specify|describe|context)|f(?:it|describe))$/

function isTestWord(words: readonly string[]): boolean {
  const [root = '', second = ''] = words
  if (words.some((word) => notTests.has(word))) return false
  return testWords.has(root) || (contextWords.has(root) && /^(?:test|module)$/.test(second))
}

const isRunTimeSkip = (words: readonly string[]): boolean =>
  words.length === 1
    ? words[0] === 'pending'
    : /^(?:t|ctx|this|context|tc|test|it|task)$/.test(words[0] ?? '') &&
      /^(?:skip|todo|fixme)$/.test(words.at(-1) ?? '')

const titleAt = /\s*(?:(['"`])((?:\\[^]|(?!\1)[^\\])*)\1|([\p{L}_$][\p{L}\p{N}_$.]*)(?=\s*,))/uy
const optionsAt = /\s*,\s*\{([^{}]*)\}/y
const skippingOption = /\b(skip|todo|only|fails)\s*:\s*(?!false\b)/

function enterTest(collected: Collector, chain: Chain, frame: SyntaxFrame): SyntaxFrame {
  const [first, second] = chain.links
  const words = first?.words ?? []
  const hasTable = words.some((word) => tableWords.has(word)) && second?.words.length === 0
  const link = hasTable ? second : first
  if (!link) return frame
  titleAt.lastIndex = link.argsStart
  const title = titleAt.exec(collected.source)
  const skip = words.find((word) => skipWords.has(word) || skippingPrefix.test(word))
  if (!title || titleAt.lastIndex > link.argsEnd) {
    if (skip !== undefined) frame.test.skippedBy ??= words.join('.')
    return frame
  }
  const titleEnd = titleAt.lastIndex
  const test = openTest({
    name: title[2] ?? title[3] ?? '',
    suite: pathOf(frame.test.suite, frame.test.name),
    isSuite: words.some((word) => suiteWord.test(word)),
    line: chain.span.line,
    start: chain.span.start,
    end: chain.end,
  })
  test.skippedBy =
    skip ??
    optionSkip(collected.source, titleEnd) ??
    (isPending(collected.source, link, titleEnd) ? 'no body' : null)
  collected.tests.push(test)
  const inside = insideTest(frame, test)
  if (hasTable && first && words.includes('each'))
    addRows(collected, first, { frame: inside, at: chain.span })
  return inside
}

function optionSkip(source: string, titleEnd: number): string | null {
  optionsAt.lastIndex = titleEnd
  return skippingOption.exec(optionsAt.exec(source)?.[1] ?? '')?.[1] ?? null
}

const isPending = (source: string, link: Link, titleEnd: number): boolean =>
  titleEnd <= link.argsEnd &&
  link.argsEnd - titleEnd < 200 &&
  source.slice(titleEnd, link.argsEnd).trim() === ''

function addRows(
  collected: Collector,
  link: Link,
  place: { readonly frame: SyntaxFrame; readonly at: SyntaxSpan },
): void {
  const { source } = collected
  const isTemplate = source[link.argsStart - 1] === '`'
  const claims = isTemplate
    ? source
        .slice(link.argsStart, link.argsEnd)
        .split('\n')
        .map((row) => row.replaceAll(/\s+/g, ' ').trim())
        .filter(Boolean)
        .map(templateRow)
    : rowClaims(tokensBetween(collected, link.argsStart, link.argsEnd))
  for (const claim of claims) collected.seen.push({ claim, ...place, end: link.argsEnd, isDropped: false })
}

const templateRow = (row: string): AssertionClaim =>
  sealed({ subject: 'a row of the table', matcher: 'case', isNegated: false, expected: row, tokens: [] })

const contextAssertions = new Set(
  (
    'is not deepEqual notDeepEqual like true false truthy falsy throws notThrows throwsAsync notThrowsAsync equal same ok notOk pass ' +
    'fail match regex notRegex snapshot plan strictEqual rejects error has hasStrict type equals strictSame assert'
  ).split(' '),
)
const expectStatics = /^(?:assertions|hasAssertions|fail|unreachable)$/
const customAssertion = /^(?:expect|assert|verify|should)(?:[A-Z_]\w*)$/

function claimsOf(collected: Collector, chain: Chain): readonly AssertionClaim[] {
  const links = chain.links.filter(({ words }) => !/^(?:catch|then|finally)$/.test(words[0] ?? ''))
  const [first] = links
  const [root = '', ...more] = first?.words ?? []
  if (!first) return []
  const args = (link: Link) => tokensBetween(collected, link.argsStart, link.argsEnd)
  const isStatic = root === 'expect' && links.length === 1 && more.length > 0 && chain.tail.length === 0
  if (isStatic) return expectStatics.test(more[0] ?? '') ? [fluentClaim([], more, args(first))] : []
  if (root === 'expect' || (/^(?:expect|should)\w*$/.test(root) && links.length > 1))
    return [fluent(collected, { ...chain, links })]
  const last = first.words.at(-1) ?? ''
  // `fc.assert` runs a property, whose own assertions count.
  if (first.words.includes('assert') && root !== 'fc') return calledClaims(last, args(first))
  if (contextWords.has(root) && more.length === 1 && contextAssertions.has(last))
    return calledClaims(last, args(first))
  if (customAssertion.test(last)) return calledClaims(last, args(first))
  return laterClaims(collected, chain, links)
}

function fluent(collected: Collector, { links, tail }: Pick<Chain, 'links' | 'tail'>): AssertionClaim {
  const [first, ...rest] = links
  const [, ...more] = first?.words ?? []
  const last = rest.at(-1)
  const subject = first ? tokensBetween(collected, first.argsStart, first.argsEnd) : []
  const expected = last ? tokensBetween(collected, last.argsStart, last.argsEnd) : []
  return fluentClaim(subject, [...more, ...rest.flatMap(({ words }) => words), ...tail], expected)
}

/** `request(app).get('/').expect(200)`, `cy.get('a').should('exist')`, `x.should.equal(3)`. */
function laterClaims(collected: Collector, chain: Chain, links: readonly Link[]): AssertionClaim[] {
  return links.flatMap((link, index) => {
    const word = link.words.findIndex((each) => each === 'should' || (index > 0 && each === 'expect'))
    if (word < 0) return []
    const subjectEnd = index === 0 ? chain.span.start : (links[index - 1]?.argsEnd ?? chain.span.start)
    const subject = tokensBetween(collected, chain.span.start, Math.min(subjectEnd, chain.span.start + 2000))
    const before = link.words.slice(0, word).join(' . ')
    const args = tokensBetween(collected, link.argsStart, link.argsEnd)
    const claim = fluentClaim(subject, link.words.slice(word + 1), args)
    const matcher = link.words.length === word + 1 ? 'equal' : claim.matcher
    return [sealed({ ...claim, subject: `${joined(subject)} ${before}`.trim(), matcher })]
  })
}
