import { describe, expect, it } from 'vitest'
import { describeWanted } from './session-notices.tsx'

describe('the notices of a session', () => {
  it.each([
    [{ asks: false, held: 0, disputes: 0 }, null],
    [{ asks: false, held: 1, disputes: 0 }, '1 patch waits for your answer.'],
    [{ asks: false, held: 0, disputes: 1 }, '1 dispute waits for your answer.'],
    [{ asks: false, held: 2, disputes: 1 }, '2 patches and 1 dispute wait for your answer.'],
    [{ asks: true, held: 0, disputes: 0 }, 'Questions wait for your answer.'],
  ])('say in one sentence what waits: %o', (wanted, said) => {
    expect(describeWanted(wanted)).toBe(said)
  })
})
