import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { formatDuration, parseDuration, readSince } from './duration.ts'

test.each([
  ['15m', 900_000],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['10d', 864_000_000],
  ['500ms', 500],
  ['1d2h3m4s5ms', 93_784_005],
  ['1m500ms', 60_500],
  ['90d', 7_776_000_000],
])('%s is %i ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected)
})

test.each([
  '',
  '5',
  'm',
  '-5m',
  '5 m',
  '1.5h',
  '30m1h',
  '5min',
  '5M',
  '0s',
  '0h0m',
  '9'.repeat(400) + 'd',
  '5m\n',
])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeNull()
})

test('whatever is written back is read as the same length', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (durationMs) => {
      expect(parseDuration(formatDuration(durationMs))).toBe(durationMs)
    }),
  )
})

const now = Date.parse('2030-05-10T12:00:00.000Z')

describe('since when', () => {
  it.each([
    ['7d', '2030-05-03T12:00:00.000Z'],
    ['12h', '2030-05-10T00:00:00.000Z'],
    ['2030-01-02', '2030-01-02T00:00:00.000Z'],
    ['2030-01-02T03:04:05Z', '2030-01-02T03:04:05.000Z'],
  ])('%s is %s', (text, time) => {
    expect(readSince(text, now)).toBe(time)
  })

  it.each(['', 'yesterday', 'x7d', '2030-99-99'])('"%s" is refused', (text) => {
    expect(() => readSince(text, now)).toThrow('a day such as')
  })
})
