import { describe, expect, it } from 'vitest'
import {
  formatAgo,
  formatCost,
  formatDuration,
  formatScore,
  formatTokens,
  formatWord,
  plural,
} from './format.ts'

describe('figures on a page', () => {
  it.each([
    [0, '$0.00'],
    [0.0042, '$0.0042'],
    [0.01, '$0.01'],
    [1234.5, '$1,234.50'],
  ])('show a cost of %d dollars as %s', (usd, text) => expect(formatCost(usd)).toBe(text))

  it.each([
    [89.97, '89'],
    [90, '90'],
  ])('show a score of %d as %s, never above what it is', (score, text) =>
    expect(formatScore(score)).toBe(text),
  )

  it.each([
    [-5, '0s'],
    [59_400, '59s'],
    [59_600, '1m 0s'],
    [3_599_000, '59m 59s'],
    [7_260_000, '2h 1m'],
  ])('show %d milliseconds as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it.each([
    [59, 'just now'],
    [60, '1 min ago'],
    [3_600, '1 h ago'],
    [200_000, '2 d ago'],
  ])('say of something %d seconds old that it was %s', (seconds, text) => {
    expect(formatAgo('2030-01-01T00:00:00Z', Date.parse('2030-01-01T00:00:00Z') + seconds * 1_000)).toBe(text)
  })

  it('count one thing in the singular, and thousands with a comma', () => {
    expect([plural(1, 'issue'), plural(0, 'issue'), plural(1_200, 'patch', 'patches')]).toEqual([
      '1 issue',
      '0 issues',
      '1,200 patches',
    ])
  })

  it('shorten tokens, and write words of the API as words', () => {
    expect([formatTokens(1_260_000), formatWord('in_progress')]).toEqual(['1.3M', 'In progress'])
  })
})
