import { expect, it } from 'vitest'
import { priceCall } from './live-call.ts'

const usage = {
  input_tokens: 100_000,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
}
const costIn = (model: string): number => priceCall(usage, { model, content: [], before: undefined }).usd

it('a live call costs what the list of its family says, and of an unknown one what the dearest does', () => {
  expect(costIn('claude-haiku-4-5')).toBeCloseTo(0.1, 3)
  expect(costIn('claude-sonnet-4-5')).toBeCloseTo(0.3, 3)
  expect(costIn('claude-opus-4-1')).toBeCloseTo(1.5, 3)
  expect(costIn('another')).toBeCloseTo(1.5, 3)
})

it('a live call estimates what is written by its length, and counts each block of a message once', () => {
  const content = [{ type: 'text', text: 'x'.repeat(30_000) }]
  const first = priceCall(usage, { model: 'claude-sonnet-4-5', content, before: undefined })
  expect(first.usd).toBeCloseTo(0.3 + 0.15, 3)
  const second = priceCall(usage, { model: 'claude-sonnet-4-5', content, before: first })
  expect(second).toEqual({ tokens: 100_001, usd: expect.closeTo(0.3 + 0.15 + 0.15, 3) })
})

it('a live call costs nothing as long as nothing was counted', () => {
  expect(priceCall(undefined, { model: 'x', content: [], before: undefined })).toEqual({ tokens: 0, usd: 0 })
})

it('a live call costs nothing for what the program says itself', () => {
  const content = [{ type: 'text', text: 'API Error: 529 Overloaded' }]
  expect(priceCall(usage, { model: '<synthetic>', content, before: undefined })).toEqual({
    tokens: 0,
    usd: 0,
  })
})
