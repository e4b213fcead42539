import { expect, it } from 'vitest'
import { sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import type { Attempt } from './attempt.ts'
import { expectedRest, expectedRests, knownCosts, unknownFixUsd } from './expected-cost.ts'

const attemptAt = (stage: Attempt['stage'], given: object = {}): Attempt =>
  ({ stage, rounds: [], policy: { challenge: true }, ...given }) as unknown as Attempt
const round = (usd: number, challengeUsd: number | null) => ({
  run: sampleRun({ cost_usd: usd }),
  challenge: challengeUsd === null ? null : { cost_usd: challengeUsd },
})
const known = { reproduce: 0.25, fix: 1, challenge: 0.5 }

it('the estimate of cost knows what runs have cost on average, also of what is still open', () => {
  const attempts = [
    attemptAt('settled', {
      rounds: [round(1, 0.5), round(2, null)],
      reproduction: { run: sampleRun({ cost_usd: 0.25 }) },
    }),
    attemptAt('accepted', { run: sampleRun({ cost_usd: 3 }), challenge: { cost_usd: 1 } }),
  ]
  expect(knownCosts(attempts)).toEqual({ reproduce: 0.25, fix: 2, challenge: 0.75 })
  expect(knownCosts([attemptAt('queued')])).toEqual({ reproduce: null, fix: null, challenge: null })
})

it.each([
  ['queued', 1.75],
  ['fixing', 1.5],
  ['inspecting', 0.5],
  ['verifying', 0.5],
  ['challenging', 0.5],
  ['doubting', 0.5],
  ['accepted', 0],
  ['held', 0],
  ['bundled', 0],
  ['settled', 0],
] as const)('%s has %f to go', (stage, usd) => {
  expect(expectedRest(attemptAt(stage), known)).toBe(usd)
})

it('the estimate of cost takes a first fix to cost something, and leaves a challenge out that there will not be', () => {
  const nothing = { reproduce: null, fix: null, challenge: null }
  expect(expectedRest(attemptAt('queued'), nothing)).toBeCloseTo(unknownFixUsd)
  expect(expectedRest(attemptAt('queued', { policy: { challenge: false } }), known)).toBe(1.25)
})

it('the estimate of cost adds up what has begun', () => {
  expect(expectedRests([attemptAt('fixing'), attemptAt('challenging'), attemptAt('settled')], known)).toBe(2)
})
