import { expect, test } from 'vitest'
import { createRateLimiter } from './rate-limit.ts'

test('each key has its burst, and one more for every so often', () => {
  let nowMs = 0
  const limiter = createRateLimiter({ burst: 2, perSecond: 0.5 }, () => nowMs)
  const take = (key: string): string => {
    try {
      limiter.count(key)
      return 'taken'
    } catch (error) {
      return (error as Error & { hint: string }).hint
    }
  }
  expect([take('a'), take('a'), take('a'), take('b')]).toEqual([
    'taken',
    'taken',
    'Try again in 2 s.',
    'taken',
  ])
  nowMs = 2_000
  expect([take('a'), take('a')]).toEqual(['taken', 'Try again in 2 s.'])
  nowMs = 60_000
  expect([take('a'), take('a'), take('a')]).toEqual(['taken', 'taken', 'Try again in 2 s.'])
})
