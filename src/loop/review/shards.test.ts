import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divideIntoShards } from './shards.ts'

const limits = { maxBytes: 100, maxFiles: 3 }
const file = (path: string, size = 10) => ({ path, size })

describe('shards', () => {
  it('hold small folders together', () => {
    expect(divideIntoShards([file('a/1'), file('b/1'), file('a/2')], limits)).toEqual([['a/1', 'a/2', 'b/1']])
  })
  it('do not tear a folder apart that fits by itself', () => {
    expect(divideIntoShards([file('a/1'), file('a/2'), file('b/1'), file('b/2')], limits)).toEqual([
      ['a/1', 'a/2'],
      ['b/1', 'b/2'],
    ])
  })
  it('divide a folder that is too large by files and by bytes', () => {
    expect(divideIntoShards([file('a/1', 60), file('a/2', 60), file('a/3', 30)], limits)).toEqual([
      ['a/1'],
      ['a/2', 'a/3'],
    ])
  })
  it('give a file that is too large a shard of its own', () => {
    expect(divideIntoShards([file('a', 5_000)], limits)).toEqual([['a']])
  })
  it('hold every file exactly once', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/'))
    const files = fc.uniqueArray(fc.record({ path, size: fc.nat(150) }), { selector: (one) => one.path })
    fc.assert(
      fc.property(files, (given) => {
        expect(divideIntoShards(given, limits).flat().toSorted()).toEqual(
          given.map((one) => one.path).toSorted(),
        )
      }),
    )
  })
})
