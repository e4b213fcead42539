import { expect, test } from 'vitest'
import { youngerPids } from './process-table.ts'

const younger = (pid: number, started: number, highest: number) =>
  youngerPids(pid, 1000, { starts: 1000 + started, highest })

test('older processes have lower numbers while the numbers last', () => {
  const isYounger = younger(50_000, 100, 4_194_304)
  expect([49_999, 50_000, 50_200].map((pid) => isYounger?.(pid))).toEqual([false, true, true])
})

test('behind the highest number the lowest are young again', () => {
  const isYounger = younger(32_000, 100, 32_768)
  expect([31_999, 32_001, 300, 3_000, 20_000].map((pid) => isYounger?.(pid))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ])
})

test('after many starts, and where the kernel does not count them, it may be any', () => {
  expect(younger(500, 20_000, 32_768)).toBeUndefined()
  expect(youngerPids(500, null)).toBeUndefined()
  expect(youngerPids(500, 1000, { starts: null, highest: 32_768 })).toBeUndefined()
})
