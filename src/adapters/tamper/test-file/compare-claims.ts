import { boundDirection, expectsPart, isSameMatcher, strength } from './matchers.ts'
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
