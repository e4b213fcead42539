import { describe, expect, it } from 'vitest'
import { parseDay } from './move.ts'

const now = Date.parse('2030-06-15T12:00:00Z')

describe('the day until which an issue is ignored', () => {
  it('is kept as it was written', () => {
    expect(parseDay('2030-06-16', now)).toBe('2030-06-16')
    expect(parseDay('2032-02-29', now)).toBe('2032-02-29')
  })

  it.each([
    'tomorrow',
    '2031-02-29',
    '2031-13-01',
    '2031-1-1',
    '31.12.2031',
    '2031-12-31T00:00:00Z',
    '',
    '-1',
  ])('is refused when it is no day: %j', (text) => {
    expect(() => parseDay(text, now)).toThrow('this is no day')
  })

  it.each(['2030-06-15', '2020-01-01'])('is refused when it does not lie ahead: %s', (text) => {
    expect(() => parseDay(text, now)).toThrow('does not lie ahead')
  })
})
