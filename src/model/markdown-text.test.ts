import { describe, expect, it } from 'vitest'
import { codeFence, inlineCode, plainLine, plainText, quietLine } from './markdown-text.ts'

describe('text in Markdown', () => {
  it.each([
    ['[a](http://b)', String.raw`\[a](http://b)`],
    ['<img src=x>', String.raw`\<img src=x>`],
    ['**loud** and quiet_one', String.raw`\*\*loud\*\* and quiet_one`],
    ['`a[0] * 2` stays, a[0] does not', '`a[0] * 2` stays, a\\[0] does not'],
    ['an open ` leaves <b> closed', 'an open ` leaves \\<b> closed'],
    [String.raw`C:\temp`, String.raw`C:\\temp`],
    ['# one\n  > two\n===\n~~~', '\\# one\n  \\> two\n\\===\n\\~~~'],
  ])('shows %j as it was written', (text, expected) => {
    expect(plainText(text)).toBe(expected)
  })

  it('puts a line on one line', () => {
    expect(plainLine(' one\n\t# two ')).toBe('one # two')
  })

  it.each([
    ['@ada look', '@&#8203;ada look'],
    ['fixes #12, closes GH-3', 'fixes #&#8203;12, closes GH-&#8203;3'],
    ['see https://github.com/a/b/pull/3', 'see https://github.com/a/b/pull/&#8203;3'],
    ['`@types/node` and # one', '`@types/node` and # one'],
  ])('on a forge %j calls nobody and refers to nothing', (text, expected) => {
    expect(quietLine(text)).toBe(expected)
  })

  it('keeps code whole whatever backticks it holds', () => {
    expect(inlineCode('a')).toBe('`a`')
    expect(inlineCode('a``b')).toBe('```a``b```')
    expect(inlineCode('`a`')).toBe('`` `a` ``')
    expect(codeFence('a\n```\nb\n', 'js')).toBe('````js\na\n```\nb\n````')
  })
})
