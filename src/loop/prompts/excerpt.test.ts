import { describe, expect, it } from 'vitest'
import { changedLines, numberedExcerpt } from './excerpt.ts'

describe('an excerpt', () => {
  const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n')
  it('holds the flagged lines, marked, and what is around them', () => {
    const lines = numberedExcerpt(text, { line: 50, end_line: 51 }).split('\n')
    expect(lines).toHaveLength(42)
    expect(lines.filter((line) => line.startsWith('>'))).toEqual(['> 50 | line 50', '> 51 | line 51'])
  })
  it('is the beginning when no line is flagged', () =>
    expect(numberedExcerpt(text, { line: null, end_line: null }).split('\n')[0]).toBe('   1 | line 1'))
  it('never holds a whole large file, or a whole long line', () => {
    expect(
      numberedExcerpt(`${'x'.repeat(9_000)}\n`.repeat(900), { line: 1, end_line: 900 }).length,
    ).toBeLessThan(70_000)
  })
  it('shows the end when the line lies behind it', () =>
    expect(numberedExcerpt('a\nb\n', { line: 99, end_line: 99 })).toBe('  1 | a\n  2 | b'))
})

describe('the changed lines', () => {
  it.each([
    ['a line in the middle', 'a\nb\nc', 'a\nB\nc', { first: 2, last: 2, marked: [2] }],
    ['lines that were added', 'a\nc', 'a\nb\nb\nc', { first: 2, last: 3, marked: [2, 3] }],
    ['a line that was taken away', 'a\nb\nc', 'a\nc', { first: 2, last: 2, marked: [2] }],
    ['the last line', 'a\nb', 'a\nB', { first: 2, last: 2, marked: [2] }],
    ['a new file', '', 'a\nb', { first: 1, last: 2, marked: [1, 2] }],
    ['an emptied file', 'a\nb', '', { first: 1, last: 1, marked: [1] }],
    ['one of several equal lines', 'a\na\na', 'a\na\na\na', { first: 4, last: 4, marked: [4] }],
    ['two places', 'a\nb\nc\nd\ne', 'A\nb\nc\nx\nd\nE', { first: 1, last: 6, marked: [1, 4, 6] }],
    ['moved lines', 'a\nb\nc', 'c\na\nb', { first: 1, last: 3, marked: [1] }],
  ])('are found for %s', (_name, before, after, { marked, ...lines }) =>
    expect(changedLines(before, after)).toEqual({ ...lines, marked: new Set(marked) }),
  )
  it('are none where nothing changed', () => expect(changedLines('a\nb', 'a\nb')).toBeNull())
  it('are marked alone, not what stands between them', () => {
    const after = 'A\nb\nC'
    const changed = changedLines('a\nb\nc', after)
    expect(changed && numberedExcerpt(after, { line: 1, end_line: 3, marked: changed.marked })).toBe(
      '> 1 | A\n  2 | b\n> 3 | C',
    )
  })
})
