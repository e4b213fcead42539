import {
  isLiteral,
  joined,
  normalize,
  splitArguments,
  splitAt,
  withoutBrackets,
} from '../../../model/syntax/normalize.ts'
import type { Token } from '../../../model/syntax/tokens.ts'
import type { Assertion } from './test-file.ts'

/** What an assertion says, without where it stands. */
export type AssertionClaim = Pick<
  Assertion,
  'subject' | 'matcher' | 'isNegated' | 'expected' | 'tokens' | 'key'
>

type Said = Omit<AssertionClaim, 'key'>

/** Words that a fluent assertion may or may not have. */
const fillers = new Set(
  'to be been is that which and has have with at of but does still also deep resolves rejects should own strict soft poll'.split(
    ' ',
  ),
)
/** Matchers that name the value they compare with. */
const namedValues: Readonly<Record<string, string>> = {
  toBeNull: 'null',
  toBeUndefined: 'undefined',
  toBeNaN: 'NaN',
  isNull: 'null',
  isUndefined: 'undefined',
  null: 'null',
  undefined: 'undefined',
  assertIsNone: 'None',
  assertNull: 'null',
  assert_nil: 'nil',
}
const comparisons = new Set(['===', '!==', '==', '!=', '>=', '<=', '>', '<', 'instanceof', 'in', 'is'])

/** A claim that was put together by a reader, with its key. */
export function sealed(said: Said): AssertionClaim {
  const claim = asLength(asNamedValue(said))
  const not = claim.isNegated ? 'not ' : ''
  return { ...claim, key: `${claim.subject} ⊢ ${not}${claim.matcher} ⊢ ${claim.expected}` }
}

function asNamedValue(said: Said): Said {
  const value = Object.hasOwn(namedValues, said.matcher) ? namedValues[said.matcher] : undefined
  return value === undefined || said.expected !== '' ? said : { ...said, matcher: 'toBe', expected: value }
}

/** `x.length` equal to n and `x` of length n say the same. */
function asLength(said: Said): Said {
  const isEqual = /^(?:toBe|toEqual|toStrictEqual)$/.test(said.matcher)
  if (!isEqual || !said.subject.endsWith(' . length')) return said
  return { ...said, matcher: 'toHaveLength', subject: said.subject.slice(0, -' . length'.length) }
}

/** `expect(subject).to.not.matcher(expected)`: words are those between the calls. */
export function fluentClaim(
  subject: readonly Token[],
  words: readonly string[],
  expected: readonly Token[],
): AssertionClaim {
  const isNegated =
    words.filter((word) => word === 'not' || word === 'not_to' || word === 'never').length % 2 === 1
  const matcher =
    words.filter((word) => !fillers.has(word) && word !== 'not' && word !== 'not_to').at(-1) ?? ''
  const subjects = splitArguments(subject)
  const isExplained = subjects.length === 2 && subjects[1]?.length === 1 && subjects[1][0]?.kind === 'text'
  return sealed({
    subject: joined(isExplained ? (subjects[0] ?? []) : subject),
    matcher: matcher === '' ? 'nothing' : matcher,
    isNegated,
    expected: joined(expected),
    tokens: [...subject, ...expected],
  })
}

/** `assertSomething(subject, expected, message)`. */
export function calledClaims(matcher: string, args: readonly Token[]): AssertionClaim[] {
  const [subject = [], ...rest] = splitArguments(args)
  if (/^(?:assert|ok|assertTrue|isTrue|true|truthy)$/.test(matcher)) return booleanClaims(subject)
  if (/^(?:assertFalse|isFalse|false|falsy|notOk|refute)$/.test(matcher))
    return [untrueClaim(withoutBrackets(subject, '('))]
  const isMessage = rest.length === 2 && rest[1]?.length === 1 && rest[1][0]?.kind === 'text'
  const expected = joined(isMessage ? (rest[0] ?? []) : rest.flat())
  if (/^(?:assertIn|assertNotIn)$/.test(matcher)) {
    return [sealed({ subject: expected, matcher, isNegated: false, expected: joined(subject), tokens: args })]
  }
  return [sealed({ subject: joined(subject), matcher, isNegated: false, expected, tokens: args })]
}

/** `assert a == 1 and b` is two claims. */
export function booleanClaims(expression: readonly Token[]): AssertionClaim[] {
  const bare = withoutBrackets(expression, '(')
  if (bare.some(({ text, kind }) => kind !== 'text' && /^(?:or|\|\||\?|if)$/.test(text)))
    return [trueClaim(bare)]
  const parts = splitAt(bare, ({ text, kind }) => kind !== 'text' && (text === 'and' || text === '&&'))
  return parts.map((part) => comparisonClaim(withoutBrackets(part, '(')))
}

function comparisonClaim(tokens: readonly Token[]): AssertionClaim {
  const isComparison = ({ kind, text }: Token): boolean => kind !== 'text' && comparisons.has(text)
  const sides = splitAt(tokens, isComparison)
  const [left, right] = sides
  if (sides.length !== 2 || !left || !right) return typeClaim(tokens) ?? trueClaim(tokens)
  const operator = tokens[left.length]?.text ?? ''
  const isNotIn = operator === 'in' && left.at(-1)?.text === 'not'
  const isNot = operator === 'is' && right[0]?.text === 'not'
  const [value, other] = [isNotIn ? left.slice(0, -1) : left, isNot ? right.slice(1) : right]
  const isNegated = isNotIn || isNot || operator === '!=' || operator === '!=='
  const matcher = operator.replace('!==', '===').replace('!=', '==')
  const [subject, expected] =
    operator === 'in' || (isLiteral(value) && !isLiteral(other)) ? [other, value] : [value, other]
  return sealed({
    subject: joined(subject),
    matcher: subject === other && operator !== 'in' ? mirrored(matcher) : matcher,
    isNegated,
    expected: joined(expected),
    tokens,
  })
}

const mirrors: Readonly<Record<string, string>> = { '>': '<', '<': '>', '>=': '<=', '<=': '>=' }
const mirrored = (operator: string): string => mirrors[operator] ?? operator

function typeClaim(tokens: readonly Token[]): AssertionClaim | null {
  if (tokens[0]?.text !== 'isinstance' || tokens[1]?.text !== '(') return null
  const [subject, type] = splitArguments(tokens.slice(2, -1))
  if (!subject || !type) return null
  return sealed({
    subject: joined(subject),
    matcher: 'instanceof',
    isNegated: false,
    expected: joined(type),
    tokens,
  })
}

function trueClaim(tokens: readonly Token[]): AssertionClaim {
  const isNegated = tokens[0]?.text === 'not' || tokens[0]?.text === '!'
  const subject = joined(isNegated ? tokens.slice(1) : tokens)
  return sealed({ subject, matcher: 'truthy', isNegated, expected: '', tokens })
}

function untrueClaim(tokens: readonly Token[]): AssertionClaim {
  const { key: _key, ...said } = trueClaim(tokens)
  return sealed({ ...said, isNegated: !said.isNegated })
}

/** Each row of a table of cases is a claim of its own. */
export function rowClaims(table: readonly Token[]): AssertionClaim[] {
  const tokens = normalize(table)
  const rows = splitArguments(withoutBrackets(tokens, tokens[0]?.text === '[' ? '[' : '('))
  return rows.map((row) =>
    sealed({
      subject: 'a row of the table',
      matcher: 'case',
      isNegated: false,
      expected: joined(row),
      tokens: row,
    }),
  )
}

/** Which argument is the expected one differs by library: what is written out is. */
export function valueClaim(matcher: string, args: readonly Token[]): AssertionClaim {
  const parts = splitArguments(args)
  const [literals, others] = [
    parts.filter((part) => isLiteral(part)),
    parts.filter((part) => !isLiteral(part)),
  ]
  return sealed({
    subject: others.map(joined).join(' , '),
    matcher,
    isNegated: /not|refute|_ne$/i.test(matcher),
    expected: literals.map(joined).join(' , '),
    tokens: args,
  })
}
