import type { Dialect, Token } from '../../../model/syntax/tokens.ts'

/** One claim of a test: `matcher` says how `subject` is compared with `expected`. */
export type Assertion = {
  readonly line: number
  /** As it stands in the file, for people. */
  readonly shown: string
  readonly tokens: readonly Token[]
  /** The whole, free of formatting. */
  readonly key: string
  readonly subject: string
  readonly matcher: string
  readonly isNegated: boolean
  readonly expected: string
  /** How many conditions stand around it inside its test. */
  readonly guards: number
  /** Whether a failure of it is caught and dropped. */
  readonly isSwallowed: boolean
}

/** A test, a suite of tests, or (without a name) the rest of the file. */
export type TestCase = {
  readonly name: string
  readonly suite: string
  readonly isSuite: boolean
  readonly line: number
  readonly start: number
  readonly end: number
  readonly assertions: readonly Assertion[]
  /** What keeps it from running, or keeps others from running; null when nothing does. */
  readonly skippedBy: string | null
  /** Returns in its own body that come before an assertion. */
  readonly earlyReturns: number
}

export type TestFile = {
  readonly source: string
  readonly dialect: Dialect
  readonly tests: readonly TestCase[]
  /** False when the text did not parse and was read by patterns only. */
  readonly isParsed: boolean
}

/** How a reader builds what it finds. */
export type OpenTest = { -readonly [Key in keyof TestCase]: TestCase[Key] } & {
  assertions: Assertion[]
}

export const openTest = (
  from: Pick<TestCase, 'name' | 'suite' | 'isSuite' | 'line' | 'start' | 'end'>,
): OpenTest => ({
  ...from,
  assertions: [],
  skippedBy: null,
  earlyReturns: 0,
})

/** The pseudo-test that holds what stands outside of all tests. */
export const restOfFile = (source: string): OpenTest =>
  openTest({ name: '', suite: '', isSuite: true, line: 1, start: 0, end: source.length })

export const pathOf = (suite: string, name: string): string => (suite === '' ? name : `${suite} > ${name}`)
