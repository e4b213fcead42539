import { expect, test } from 'vitest'
import { resetTimeIn } from './ending.ts'

const at = (...parts: [number, number, number, number, number]): string => new Date(...parts).toISOString()
const now = new Date(2026, 10, 16, 4, 0)

test.each([
  ['or try again at 5:03 AM.', at(2026, 10, 16, 5, 3)],
  ['or try again at 3:03 AM.', at(2026, 10, 17, 3, 3)],
  ['try again at 12:10 AM.', at(2026, 10, 17, 0, 10)],
  ['try again at 12:10 PM.', at(2026, 10, 16, 12, 10)],
  ['Try again at Nov 20th, 2026 1:05 PM.', at(2026, 10, 20, 13, 5)],
  ['try again later.', null],
  ['', null],
])('%s', (message, reset) => {
  expect(resetTimeIn(message, now)).toBe(reset)
})
