import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { column, cut, fit, row, rule, span, widthOf, wrap, wrapWords } from './rows.ts'

describe('text in columns', () => {
  it('counts wide characters twice and combining ones not at all', () => {
    expect(['abc', '日本', 'e\u0301', '🚀', ''].map(widthOf)).toEqual([3, 4, 1, 2, 0])
  })

  it('counts what is drawn as one emoji once, and never cuts into it', () => {
    const family = '👨\u200D👩\u200D👧'
    expect([family, '👍🏽', '🇯🇵', '❤\uFE0F'].map(widthOf)).toEqual([2, 2, 2, 2])
    expect(cut(`${family}${family}`, 3)).toBe(`${family}…`)
    expect(wrap(`${family}e\u0301a`, 3)).toEqual([`${family}e\u0301`, 'a'])
  })

  it('is cut with a mark, and padded to its column', () => {
    expect(cut('abcdef', 4)).toBe('abc…')
    expect(cut('日本語', 4)).toBe('日…')
    expect(cut('abc', 0)).toBe('')
    expect(column('ab', 4)).toBe('ab  ')
    expect(fit([span('abc', 'good'), span('def'), span('ghi')], 5)).toEqual([
      { text: 'abc', tone: 'good' },
      { text: 'd…', tone: 'plain' },
    ])
  })

  it('is wrapped at the edge, or between words, and nothing is lost', () => {
    expect(wrap('abcdef\ngh', 4)).toEqual(['abcd', 'ef', 'gh'])
    expect(wrapWords('one two three', 9)).toEqual(['one two ', 'three'])
    expect(wrapWords('unbreakable', 4)).toEqual(['unbr', 'eaka', 'ble'])
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 40 }), (text, width) => {
        const clean = span(text).text
        expect(wrapWords(clean, width).join('')).toBe(clean)
        for (const line of wrap(clean, width)) expect(widthOf(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})

describe('whatever anyone wrote', () => {
  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        '\u001B[2J',
        '\u001B]0;x\u0007',
        '\u001BP',
        '\u009B',
        '\r',
        '\u202E',
        '\u0000',
        '\n',
        '\t',
      ),
      fc.string({ unit: 'binary', maxLength: 1 }),
    ),
  })

  it('reaches the terminal without a control character', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = [row(text), rule(text, 30), ...wrapWords(text, 20).map((line) => row(line))].flat()
        for (const one of shown) expect(one.text).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/)
        const line = rule(text, 30).map((span) => span.text)
        expect(widthOf(line.join(''))).toBe(30)
      }),
    )
  })
})
