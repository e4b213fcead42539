import { describe, expect, it } from 'vitest'
import { readSince } from './since.ts'

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
