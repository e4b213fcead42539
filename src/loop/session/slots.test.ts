import { expect, it } from 'vitest'
import { createSlots } from './slots.ts'

const going = new AbortController().signal

it('runs at most so many at once, and all of them in the end', async () => {
  const slots = createSlots(2)
  let now = 0
  let most = 0
  const work = async (): Promise<number> => {
    now += 1
    most = Math.max(most, now)
    await Promise.resolve()
    now -= 1
    return now
  }
  await Promise.all(Array.from({ length: 9 }, () => slots.run(going, work)))
  expect([most, now]).toEqual([2, 0])
})

it('starts nothing that waited when it is stopped meanwhile', async () => {
  const slots = createSlots(1)
  const stop = new AbortController()
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = slots.run(stop.signal, () => promise)
  const second = slots.run(stop.signal, () => Promise.resolve('never'))
  stop.abort()
  resolve('done')
  expect([await first, await second]).toEqual(['done', null])
})

it('gives its place back when the work fails', async () => {
  const slots = createSlots(1)
  await expect(slots.run(going, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await slots.run(going, () => Promise.resolve('next'))).toBe('next')
})
