import type { Assertion } from './test-file.ts'

type Claimed = Pick<Assertion, 'matcher' | 'isNegated' | 'expected'>

const wildcard =
  /(?:\b(?:any|anything|ANY|objectContaining|arrayContaining|stringContaining|stringMatching|closeTo|approx|Any|isA|mock\.ANY|gomega)\b)|(?:^| )\/.*\//
const widestError = /^(?:Exception|BaseException|Error|StandardError|Throwable)$/
const falsy = /^(?:0|""|null|undefined|false|NaN|None|False|nil)$/

/** Whether a changed assertion about the same subject still proves at least what it proved. */
export function isAsStrong(before: Claimed, after: Claimed): boolean {
  const [old, now] = [strength(before), strength(after)]
  if (before.matcher === after.matcher && before.isNegated !== after.isNegated) return false
  if (now < old || contradicts(before, after)) return false
  const isEqualityKept = old >= 9 && now >= 9
  if (now > old && !isEqualityKept) return true
  const isBound =
    boundDirection(before.matcher) !== 0 && boundDirection(before.matcher) === boundDirection(after.matcher)
  if (!isEqualityKept && !isBound && !isSameMatcher(before, after)) return false
  if (isEqualityKept && !isSameMatcher(before, after) && now === old) return false
  return before.expected === after.expected ? !isWiderBound(before, after) : isNarrower(before, after)
}

function contradicts(before: Claimed, after: Claimed): boolean {
  const wasTrue =
    /^(?:toBeTruthy|ok|truthy|assert|assertTrue|toBeDefined|exist|exists|assertIsNotNone)$/.test(
      before.matcher,
    )
  const isFalseNow = /^(?:toBeFalsy|falsy|assertFalse)$/.test(after.matcher) || falsy.test(after.expected)
  return wasTrue && isFalseNow && !before.isNegated && !after.isNegated
}

/** `> 3` became `>= 3`. */
const isWiderBound = (before: Claimed, after: Claimed): boolean =>
  boundDirection(before.matcher) !== 0 &&
  !/=|Equal|least|most/.test(before.matcher) &&
  /=|Equal|least|most/.test(after.matcher)

function isNarrower(before: Claimed, after: Claimed): boolean {
  if (before.expected === '') return true
  const direction = boundDirection(before.matcher)
  if (direction !== 0) return isStricterBound(before, after, direction)
  if (wildcard.test(before.expected) && !wildcard.test(after.expected)) return true
  if (widestError.test(before.expected) && !widestError.test(after.expected))
    return /[A-Z]/.test(after.expected)
  if (after.expected.startsWith(`${before.expected} ,`)) return /throw|raise|reject/i.test(before.matcher)
  const opened = before.expected.replace(/ ?}$/, '')
  return expectsPart(before.matcher) && opened !== before.expected && after.expected.startsWith(`${opened} ,`)
}

function isStricterBound(before: Claimed, after: Claimed, direction: 1 | -1): boolean {
  const [old, now] = [before.expected, after.expected].map((text) =>
    text === '' ? Number.NaN : Number(text.replaceAll(' ', '')),
  )
  return old !== undefined && now !== undefined && (now - old) * direction > 0
}

/** How much a matcher proves: 10 identity, 9 equality, 6 a part or a bound, 4 a type, 3 truthiness, 2 existence. */
const strengths: readonly (readonly [number, string])[] = [
  [
    10,
    'toStrictEqual strictEqual deepStrictEqual === is assertIs assertSame areSame same strictSame assert_same',
  ],
  [
    9,
    'toBe toEqual equal equals eql eq be deepEqual deepEquals == assertEqual assertEquals assertDictEqual assertListEqual ' +
      'assertSetEqual assertTupleEqual assertSequenceEqual assertCountEqual assertMultiLineEqual assertArrayEquals ' +
      'areEqual assert_eq assert_equal toHaveBeenCalledWith toHaveBeenLastCalledWith toHaveBeenNthCalledWith ' +
      'toHaveBeenCalledTimes toHaveLength lengthOf toMatchSnapshot toMatchInlineSnapshot toHaveText toHaveValue ' +
      'toHaveCount assert_called_once_with assert_called_with assert_has_calls calledWith calledOnceWith case len',
  ],
  [4, 'toBeInstanceOf instanceOf instanceof a an toBeTypeOf typeOf isType assertIsInstance assertInstanceOf'],
  [
    3,
    'toBeTruthy toBeFalsy ok truthy falsy assert assertTrue assertFalse true false exist exists toHaveBeenCalled called isTrue isFalse ' +
      'assert_called assertNotNull be_truthy be_falsy assert_true toExist',
  ],
  [
    2,
    'toBeDefined isDefined assertIsNotNone != !== notEqual notDeepEqual notStrictEqual assertNotEqual assertNotEquals assertNotIn ' +
      'assertIsNot assert_ne refute notNull doesNotThrow notThrows doesNotReject assertDoesNotThrow isNotNull ' +
      'assertDoesNotRaise be_nil? NotNil NotEmpty NoError',
  ],
  [0, 'nothing'],
]
const strengthOf = new Map(
  strengths.flatMap(([strength, names]) =>
    names.split(' ').map((name) => [name.toLowerCase(), strength] as const),
  ),
)
const unknownStrength = 6

/** Pairs that say the same of the same value. */
const aliases: readonly string[] = [
  'tobe toequal equal equals eql eq deepequal deepequals == assertequal assertequals assertdictequal assertlistequal assertsetequal asserttupleequal assertsequenceequal be',
  'tostrictequal strictequal deepstrictequal === is assertis same',
  'tothrow tothrowerror throw throws throwerror',
  'tobetruthy ok truthy assert asserttrue istrue exist exists',
  'tohavelength lengthof len',
  'match matches tomatch',
  'include includes contain contains tocontain in assertin',
  'a an',
]
const aliasOf = new Map(
  aliases.flatMap((names, index) => names.split(' ').map((name) => [name, index] as const)),
)

export function strength({ matcher, isNegated }: Pick<Claimed, 'matcher' | 'isNegated'>): number {
  const plain = strengthOf.get(matcher.toLowerCase()) ?? unknownStrength
  return isNegated && plain !== 3 ? Math.min(plain, 2) : plain
}

function isSameMatcher(
  a: Pick<Claimed, 'matcher' | 'isNegated'>,
  b: Pick<Claimed, 'matcher' | 'isNegated'>,
): boolean {
  const [one, other] = [a.matcher.toLowerCase(), b.matcher.toLowerCase()]
  const alias = aliasOf.get(one)
  return (
    a.isNegated === b.isNegated && (one === other || (alias !== undefined && alias === aliasOf.get(other)))
  )
}

/** The smaller the bound that must be exceeded, the weaker; 0 when the matcher is no bound. */
function boundDirection(matcher: string): 1 | 0 | -1 {
  if (/^(?:>=?|toBeGreaterThan(?:OrEqual)?|assertGreater(?:Equal)?|above|least|greaterThan)$/i.test(matcher))
    return 1
  return /^(?:<=?|toBeLessThan(?:OrEqual)?|assertLess(?:Equal)?|below|most|lessThan)$/i.test(matcher) ? -1 : 0
}

/** Where a part is expected, a longer part is a stronger claim. */
const expectsPart = (matcher: string): boolean =>
  /^(?:toMatchObject|objectContaining|toContainEqual|toHaveProperty|like|include|assertDictContainsSubset)$/i.test(
    matcher,
  )
