import { type Chain, chainsOf } from '../syntax/chains.ts'
import { joined, splitArguments } from '../../../model/syntax/normalize.ts'
import { type SyntaxSpan, outline } from '../syntax/outline.ts'
import { type AssertionClaim, booleanClaims, calledClaims, rowClaims, sealed } from './claim.ts'
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

const kinds = [
  'assert_statement',
  'assignment',
  'call',
  'class_definition',
  'conditional_expression',
  'decorated_definition',
  'decorator',
  'except_clause',
  'function_definition',
  'if_statement',
  'lambda',
  'raise_statement',
  'return_statement',
  'try_statement',
  'with_statement',
]

/** The tests and assertions of a Python file, or null when it does not parse. */
export function readPython(source: string): TestFile | null {
  const spans = outline(source, 'Python', kinds)
  if (!spans) return null
  const collected = collector(source, 'python', spans)
  const chains = chainsOf(source, spans, 'call')
  const decorators = decoratorsOf(spans)
  walk(spans, collected.root, (span, frame) => {
    const chain = chains.get(span)
    if (chain) return enterChain(collected, chain, frame)
    const isDefinition = span.kind === 'function_definition' || span.kind === 'class_definition'
    return isDefinition
      ? enterDefinition(collected, { span, decorators: decorators.get(span.parent) ?? [] }, frame)
      : enterStatement(collected, span, frame)
  })
  return finish(collected)
}

const decoratorsOf = (spans: readonly SyntaxSpan[]): ReadonlyMap<SyntaxSpan | null, readonly SyntaxSpan[]> =>
  Map.groupBy(
    spans.filter(({ kind }) => kind === 'decorator'),
    ({ parent }) => parent,
  )

function enterStatement(collected: Collector, span: SyntaxSpan, frame: SyntaxFrame): SyntaxFrame {
  const { source } = collected
  switch (span.kind) {
    case 'assert_statement':
      addAssert(collected, span, frame)
      return { ...frame, isInAssertion: true }
    case 'lambda':
      return { ...frame, depth: frame.depth + 1 }
    case 'if_statement':
    case 'conditional_expression':
      return /^if\s+TYPE_CHECKING\b/.test(source.slice(span.start, span.start + 40))
        ? frame
        : { ...frame, guards: frame.guards + 1 }
    case 'try_statement':
      return { ...frame, attempt: { swallows: false } }
    case 'with_statement':
      return suppressing.test(source.slice(span.start, span.start + 200))
        ? { ...frame, attempt: { swallows: true } }
        : frame
    case 'except_clause':
      if (frame.attempt && isDropping(source, span)) frame.attempt.swallows = true
      return { ...frame, attempt: null }
    case 'return_statement':
      if (frame.depth === 1 && !frame.test.isSuite)
        collected.returns.push({ test: frame.test, end: span.end })
      return frame
    case 'raise_statement':
      if (
        /^raise\s+(?:unittest\.)?(?:SkipTest|pytest\.skip)/.test(source.slice(span.start, span.start + 60))
      ) {
        frame.test.skippedBy ??= 'raise SkipTest'
      }
      return frame
    case 'assignment':
      return enterAssignment(source, span, frame)
    default:
      return frame
  }
}

const suppressing = /^with\s+(?:contextlib\s*\.\s*)?suppress\s*\(/
const skippingAssignment =
  /(?:pytestmark\s*=[^\n]{0,200}\bmark\s*\.\s*(?:skip|skipif|xfail)|__test__\s*=\s*False|collect_ignore(?:_glob)?\s*=)/y

function enterAssignment(source: string, span: SyntaxSpan, frame: SyntaxFrame): SyntaxFrame {
  skippingAssignment.lastIndex = span.start
  const found = skippingAssignment.exec(source)
  if (found) frame.test.skippedBy ??= found[0]
  return frame
}

const definedName = /(?:async\s+)?(?:def|class)\s+([\p{L}\p{N}_]+)/uy
const skippingDecorator =
  /^@\s*(?:(?:pytest\s*\.\s*)?mark\s*\.\s*(skip|skipif|xfail)|(?:unittest\s*\.\s*)?(skip|skipIf|skipUnless|expectedFailure))\b/
const tableDecorator = /^@\s*(?:pytest\s*\.\s*)?mark\s*\.\s*parametrize\s*\(/

function enterDefinition(
  collected: Collector,
  { span, decorators }: { readonly span: SyntaxSpan; readonly decorators: readonly SyntaxSpan[] },
  frame: SyntaxFrame,
): SyntaxFrame {
  const { source } = collected
  definedName.lastIndex = span.start
  const name = definedName.exec(source)?.[1] ?? ''
  const isSuite = span.kind === 'class_definition'
  const isTest = isSuite
    ? frame.depth === 0
    : /^test/i.test(name) && (frame.test.isSuite || frame.test.name === '')
  if (!isTest) return { ...frame, depth: frame.depth + 1 }
  const { name: outer, suite } = frame.test
  const test = openTest({
    name,
    suite: pathOf(suite, outer),
    isSuite,
    line: span.line,
    start: span.start,
    end: span.end,
  })
  collected.tests.push(test)
  const inside = insideTest(frame, test)
  for (const decorator of decorators) readDecorator(collected, decorator, inside)
  return { ...inside, depth: isSuite ? 0 : 1 }
}

function readDecorator(collected: Collector, span: SyntaxSpan, frame: SyntaxFrame): void {
  const text = collected.source.slice(span.start, span.end)
  const skip = skippingDecorator.exec(text.slice(0, 200))
  if (skip) frame.test.skippedBy ??= skip[1] ?? skip[2] ?? 'skip'
  const table = tableDecorator.exec(text)
  if (!table) return
  const args = tokensBetween(collected, span.start + table[0].length, Math.max(span.end - 1, span.start))
  const [names = [], values = []] = splitArguments(args)
  for (const claim of rowClaims(values)) {
    const row = sealed({ ...claim, subject: `a row of the table ${joined(names)}` })
    collected.seen.push({ claim: row, frame, at: span, end: span.end, isDropped: false })
  }
}

function addAssert(collected: Collector, span: SyntaxSpan, frame: SyntaxFrame): void {
  if (frame.isInAssertion) return
  const tokens = tokensBetween(collected, span.start + 'assert'.length, span.end)
  for (const claim of booleanClaims(splitArguments(tokens)[0] ?? [])) {
    collected.seen.push({ claim, frame, at: span, end: span.end, isDropped: false })
  }
}

const runTimeSkip = /^(?:pytest (?:skip|xfail|importorskip|exit)|self skipTest|pytest mark skip)$/

function enterChain(collected: Collector, chain: Chain, frame: SyntaxFrame): SyntaxFrame {
  const words = chain.links[0]?.words ?? []
  if (runTimeSkip.test(words.join(' ')) && !isDecorator(chain.span))
    frame.test.skippedBy ??= `${words.join('.')}()`
  const claims = frame.isInAssertion ? [] : claimsOf(collected, chain)
  for (const claim of claims)
    collected.seen.push({ claim, frame, at: chain.span, end: chain.end, isDropped: false })
  return claims.length > 0 ? { ...frame, isInAssertion: true } : frame
}

const isDecorator = (span: SyntaxSpan): boolean => span.parent?.kind === 'decorator'

function claimsOf(collected: Collector, chain: Chain): readonly AssertionClaim[] {
  const link = chain.links.at(-1)
  const name = link?.words.at(-1) ?? ''
  if (!link) return []
  const args = () => tokensBetween(collected, link.argsStart, link.argsEnd)
  if (
    /^(?:raises|warns|deprecated_call|assertRaises\w*|assertWarns\w*|assertLogs|assertNoLogs)$/.test(name)
  ) {
    const tokens = args()
    return [sealed({ subject: '', matcher: name, isNegated: false, expected: joined(tokens), tokens })]
  }
  if (/^assert(?:[A-Z]\w*)$/.test(name)) return calledClaims(name, args())
  if (!/^assert_\w+$/.test(name)) return []
  const tokens = args()
  const subject = link.words.slice(0, -1).join(' . ')
  return [sealed({ subject, matcher: name, isNegated: /_not_/.test(name), expected: joined(tokens), tokens })]
}
