import { describe, expect, it } from 'vitest'
import { cleanText, cutText, titleOf } from './finding-text.ts'

describe('text of other programs', () => {
  it.each([
    ['a\u0000b\u0007c', 'abc'],
    ['\u001B[31mred\u001B[0m and \u001B]0;title\u0007done', 'red and done'],
    ['user\u202Egnp.exe\u2066x\u2069', 'usergnp.exex'],
    ['line one\r\nline two\rthree', 'line one\nline two\nthree'],
    ['zero\u200Bwidth\uFEFF', 'zerowidth'],
    ['broken \uD800 half', 'broken \uFFFD half'],
    ['  kept\tas it is 日本語 🎉  ', 'kept\tas it is 日本語 🎉'],
  ])('%j becomes %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean)
  })

  it('is cut at its limit, never inside a character', () => {
    expect(cutText('abcdef', 4)).toBe('abc…')
    expect(cutText('ab🎉cdef', 4)).toBe('ab…')
    expect(cutText('abcd', 4)).toBe('abcd')
  })
})

describe('a title', () => {
  it.each([
    ['Use of eval. It is dangerous.', 'Use of eval'],
    ['Use e.g. a map. Then go on.', 'Use e.g. a map'],
    ['Ends with a dot.', 'Ends with a dot'],
    [
      'Use `raise ... from err` or `raise ... None`. Then go on.',
      'Use `raise ... from err` or `raise ... None`',
    ],
    ['Is it null? Maybe.', 'Is it null'],
    ['First line\nSecond line', 'First line'],
    ['a  b\tc', 'a b c'],
    ['file.ts is too long', 'file.ts is too long'],
    ['', ''],
  ])('of %j is %j', (message, title) => {
    expect(titleOf(message)).toBe(title)
  })

  it('is at most 120 characters long', () => {
    expect(titleOf('x'.repeat(500))).toHaveLength(120)
  })
})
