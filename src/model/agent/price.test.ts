import { expect, test } from 'vitest'
import { costOf, estimateCost } from './price.ts'

const price = { input_usd: 2, cached_input_usd: 0.5, output_usd: 10 }
const tokens = { input: 1_000_000, cachedInput: 2_000_000, output: 100_000 }

test('tokens cost by what they are, per million', () => {
  expect(costOf(tokens, price)).toBe(4)
})

test('the models of a run are added up', () => {
  const used = new Map([
    ['a', tokens],
    ['b', { input: 500_000, cachedInput: 0, output: 0 }],
  ])
  expect(estimateCost(used, { a: price, b: price })).toBe(5)
})

test('a model without a price leaves the cost unknown, unless it was not used', () => {
  const none = { input: 0, cachedInput: 0, output: 0 }
  expect(estimateCost(new Map([['a', tokens]]), {})).toBeNull()
  expect(estimateCost(new Map([['toString', tokens]]), {})).toBeNull()
  expect(estimateCost(new Map([['a', none]]), {})).toBe(0)
})
