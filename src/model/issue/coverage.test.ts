import { describe, expect, it } from 'vitest'
import { coverageOf, coveredPercent, joinCoverage } from './coverage.ts'

const told = {
  reviewed: ['a'],
  partly: [{ file: 'b', why: 'too long' }],
  skipped: [{ file: 'c', why: 'binary' }],
}

describe('coverage', () => {
  it('is what the reviewer says; what it does not mention was skipped', () => {
    expect(coverageOf(['a', 'b', 'c', 'd'], told)).toEqual([
      { file: 'a', state: 'reviewed', why: null },
      { file: 'b', state: 'partly', why: 'too long' },
      { file: 'c', state: 'skipped', why: 'binary' },
      { file: 'd', state: 'skipped', why: 'the reviewer did not mention it' },
    ])
  })
  it('is nothing when the reviewer says nothing', () => {
    expect(coverageOf(['a'], null)[0]?.state).toBe('skipped')
  })
  it('of several reviewers is the best of each file', () => {
    const joined = joinCoverage(
      ['a', 'b', 'x'],
      [...coverageOf(['a', 'b'], told), { file: 'b', state: 'reviewed', why: null }],
    )
    expect(joined.map(({ state }) => state)).toEqual(['reviewed', 'reviewed', 'skipped'])
    expect(coveredPercent(joined)).toBe(66.6)
  })
  it('of nothing is all', () => expect(coveredPercent([])).toBe(100))
})
