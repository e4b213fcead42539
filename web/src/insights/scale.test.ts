import { describe, expect, it } from 'vitest'
import { niceCeiling, spread, ticksOf } from './scale.ts'

describe('the axis of a chart', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 5],
    [7, 10],
    [0.03, 0.05],
    [120, 200],
  ])('that has to hold %d ends at %d', (value, end) => expect(niceCeiling(value)).toBeCloseTo(end))

  it('has a line in the middle only where that is a number of things', () => {
    expect([ticksOf(5, 'count'), ticksOf(10, 'count'), ticksOf(5, 'amount')]).toEqual([
      [0, 5],
      [0, 5, 10],
      [0, 2.5, 5],
    ])
  })

  it('names every point of a few, and the first and the last of many', () => {
    expect([spread(3, 6), spread(0, 6), spread(101, 5)]).toEqual([[0, 1, 2], [], [0, 25, 50, 75, 100]])
  })
})
