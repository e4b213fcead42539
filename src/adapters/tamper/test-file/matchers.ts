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

type Claim = { readonly matcher: string; readonly isNegated: boolean }

export function strength({ matcher, isNegated }: Claim): number {
  const plain = strengthOf.get(matcher.toLowerCase()) ?? unknownStrength
  return isNegated && plain !== 3 ? Math.min(plain, 2) : plain
}

export function isSameMatcher(a: Claim, b: Claim): boolean {
  const [one, other] = [a.matcher.toLowerCase(), b.matcher.toLowerCase()]
  const alias = aliasOf.get(one)
  return (
    a.isNegated === b.isNegated && (one === other || (alias !== undefined && alias === aliasOf.get(other)))
  )
}

/** The smaller the bound that must be exceeded, the weaker; 0 when the matcher is no bound. */
export function boundDirection(matcher: string): 1 | 0 | -1 {
  if (/^(?:>=?|toBeGreaterThan(?:OrEqual)?|assertGreater(?:Equal)?|above|least|greaterThan)$/i.test(matcher))
    return 1
  return /^(?:<=?|toBeLessThan(?:OrEqual)?|assertLess(?:Equal)?|below|most|lessThan)$/i.test(matcher) ? -1 : 0
}

/** Where a part is expected, a longer part is a stronger claim. */
export const expectsPart = (matcher: string): boolean =>
  /^(?:toMatchObject|objectContaining|toContainEqual|toHaveProperty|like|include|assertDictContainsSubset)$/i.test(
    matcher,
  )
