import { isCloser, isLiteral, isOpener, normalize } from '../../../model/syntax/normalize.ts'
import type { SyntaxSpan } from '../syntax/outline.ts'
import { type Dialect, type Token, tokenize } from '../../../model/syntax/tokens.ts'
import type { AssertionClaim } from './claim.ts'
import { type OpenTest, type TestFile, restOfFile } from './test-file.ts'

/** What stands around a place in the text. */
export type SyntaxFrame = {
  readonly test: OpenTest
  readonly guards: number
  /** Functions between the test's call and here: 1 is the test's own body. */
  readonly depth: number
  readonly attempt: { swallows: boolean } | null
  readonly isInAssertion: boolean
}

type Seen = {
  readonly claim: AssertionClaim
  readonly frame: SyntaxFrame
  readonly at: SyntaxSpan
  readonly end: number
  readonly isDropped: boolean
}

/** Gathers what a reader sees; `finish` completes what depends on later text. */
export type Collector = {
  readonly source: string
  readonly dialect: Dialect
  readonly root: SyntaxFrame
  readonly tests: OpenTest[]
  readonly seen: Seen[]
  readonly returns: { readonly test: OpenTest; readonly end: number }[]
  /** Offsets of `name = …`, so that a named value can be looked up. */
  readonly variables: ReadonlyMap<string, readonly SyntaxSpan[]>
}

export function collector(source: string, dialect: Dialect, spans: readonly SyntaxSpan[]): Collector {
  const rest = restOfFile(source)
  const root = { test: rest, guards: 0, depth: 0, attempt: null, isInAssertion: false }
  const variables = variablesOf(source, spans)
  return { source, dialect, root, tests: [rest], seen: [], returns: [], variables }
}

/** Visits the spans in order; each gets the frame that its parent left. */
export function walk(
  spans: readonly SyntaxSpan[],
  root: SyntaxFrame,
  enter: (span: SyntaxSpan, frame: SyntaxFrame) => SyntaxFrame,
): void {
  const frames = new Map<SyntaxSpan, SyntaxFrame>()
  for (const span of spans) {
    frames.set(span, enter(span, (span.parent && frames.get(span.parent)) ?? root))
  }
}

export function insideTest(frame: SyntaxFrame, test: OpenTest): SyntaxFrame {
  return { ...frame, test, guards: 0, depth: 0, attempt: null }
}

const passesOn = /\b(?:throw|raise|fail\w*|expect\w*|assert\w*|reject|done|next|t\.\w+)\b/

/** A handler that neither throws on nor asserts drops what failed in its block. */
export const isDropping = (source: string, { start, end }: SyntaxSpan): boolean =>
  !passesOn.test(source.slice(start, Math.min(end, start + 4000)))

export function finish(collected: Collector): TestFile {
  const lastStart = new Map<OpenTest, number>()
  for (const { claim, frame, at, end, isDropped } of collected.seen) {
    lastStart.set(frame.test, at.start)
    frame.test.assertions.push({
      ...claim,
      line: at.line,
      shown: collected.source.slice(at.start, Math.min(end, at.start + 400)),
      guards: frame.guards,
      isSwallowed: isDropped || frame.attempt?.swallows === true,
    })
  }
  for (const { test, end } of collected.returns) {
    if ((lastStart.get(test) ?? -1) >= end) test.earlyReturns += 1
  }
  const { source, dialect, tests } = collected
  return { source, dialect, tests, isParsed: true }
}

const declared = /([\p{L}\p{N}_$]+)\s*(?::[^=\n]{0,200})?=(?![=>])\s*/uy

function variablesOf(source: string, spans: readonly SyntaxSpan[]): Map<string, SyntaxSpan[]> {
  const variables = new Map<string, SyntaxSpan[]>()
  for (const span of spans) {
    if (span.kind !== 'variable_declarator' && span.kind !== 'assignment') continue
    declared.lastIndex = span.start
    const name = declared.exec(source)?.[1]
    if (name === undefined) continue
    const value = { ...span, start: declared.lastIndex }
    const known = variables.get(name)
    if (known) known.push(value)
    else variables.set(name, [value])
  }
  return variables
}

/** The tokens between two offsets, with values written out where a plain name stands for one. */
export function tokensBetween(collected: Collector, start: number, end: number): Token[] {
  const tokens = normalize(tokenize(collected.source.slice(start, end), collected.dialect))
  let depth = 0
  return tokens.flatMap((token, index) => {
    if (isOpener(token)) depth += 1
    if (isCloser(token)) depth -= 1
    const standsAlone = depth === 0 && isBoundary(tokens[index - 1]) && isBoundary(tokens[index + 1])
    return standsAlone && token.kind === 'name' ? (valueOf(collected, token.text, start) ?? [token]) : [token]
  })
}

const boundary = /^(?:,|[=!]==?|[<>]=?|and|&&|in|is)$/
const isBoundary = (token: Token | undefined): boolean =>
  token === undefined || (token.kind !== 'text' && boundary.test(token.text))

/** What the variable was last given before `at`, when that is written out. */
function valueOf({ source, dialect, variables }: Collector, name: string, at: number): Token[] | null {
  const span = variables.get(name)?.findLast((each) => each.end <= at)
  if (!span || span.end - span.start > 20_000) return null
  const value = normalize(tokenize(source.slice(span.start, span.end), dialect))
  return isLiteral(value) ? value : null
}
