import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSharedSlots, createSlots, type Slots } from './slots.ts'

const going = new AbortController().signal

it('a limit of slots runs at most so many at once, and all of them in the end', async () => {
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

it('a limit of slots says who has to wait, and of nobody else', async () => {
  const slots = createSlots(1)
  const waits: string[] = []
  const work = (name: string) =>
    slots.run(
      going,
      () => setImmediate(name),
      () => waits.push(name),
    )
  await Promise.all(['a', 'b', 'c'].map(work))
  await work('d')
  expect(waits).toEqual(['b', 'c'])
})

it('a limit of slots starts nothing that waited when it is stopped meanwhile', async () => {
  const slots = createSlots(1)
  const stop = new AbortController()
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = slots.run(stop.signal, () => promise)
  const second = slots.run(stop.signal, () => Promise.resolve('never'))
  await setImmediate()
  stop.abort()
  resolve('done')
  expect([await first, await second]).toEqual(['done', null])
})

it('a limit of slots gives its place back when the work fails', async () => {
  const slots = createSlots(1)
  await expect(slots.run(going, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await slots.run(going, () => Promise.resolve('next'))).toBe('next')
})

it('a limit of slots lets go of what waits as soon as it is stopped', async () => {
  const slots = createSlots(1)
  const stop = new AbortController()
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = slots.run(going, () => promise)
  const second = slots.run(stop.signal, () => Promise.resolve('never'))
  const third = slots.run(going, () => Promise.resolve('in turn'))
  stop.abort()
  expect(await second).toBeNull()
  resolve('done')
  expect([await first, await third]).toEqual(['done', 'in turn'])
})

describe('places that sessions share', () => {
  /** Works that end when they are told to, in the order in which they were started. */
  function makeWorks() {
    const started: string[] = []
    const ends: (() => void)[] = []
    const ask = (slots: Slots, name: string, count: number): void => {
      for (let number = 1; number <= count; number += 1)
        void slots.run(going, async () => {
          started.push(`${name}${number}`)
          await new Promise<void>((resolve) => ends.push(resolve))
        })
    }
    const endFirst = async (): Promise<void> => {
      ends.shift()?.()
      await setImmediate()
    }
    return { started, ask, endFirst }
  }

  it('go next to the one that has the fewest, however many the other waits for', async () => {
    const shared = createSharedSlots(2)
    const { started, ask, endFirst } = makeWorks()
    ask(shared.forSession(2), 'large', 40)
    await setImmediate()
    ask(shared.forSession(2), 'small', 2)
    await setImmediate()
    expect(started).toEqual(['large1', 'large2'])
    for (let count = 0; count < 4; count += 1) await endFirst()
    expect(started).toEqual(['large1', 'large2', 'small1', 'large3', 'small2', 'large4'])
  })

  it('are divided evenly between those that want more than there are', async () => {
    const shared = createSharedSlots(6)
    const { started, ask, endFirst } = makeWorks()
    for (const name of ['a', 'b', 'c']) ask(shared.forSession(6), name, 40)
    for (let count = 0; count < 60; count += 1) await endFirst()
    const lately = started.slice(-30).map((name) => name[0])
    expect(['a', 'b', 'c'].map((name) => lately.filter((one) => one === name).length)).toEqual([10, 10, 10])
  })

  it('are as many as the one that may have the most of them needs', async () => {
    const shared = createSharedSlots(1)
    const { started, ask } = makeWorks()
    ask(shared.forSession(3), 'a', 5)
    ask(shared.forSession(1), 'b', 5)
    await setImmediate()
    expect(started).toEqual(['a1', 'a2', 'a3'])
  })

  it('are not more for one than it may have, although others are free', async () => {
    const shared = createSharedSlots(4)
    const { started, ask } = makeWorks()
    ask(shared.forSession(1), 'a', 3)
    ask(shared.forSession(4), 'b', 5)
    await setImmediate()
    expect(started).toEqual(['a1', 'b1', 'b2', 'b3'])
  })

  it('are lent by those that wait for their provider', async () => {
    const shared = createSharedSlots(1)
    const { promise: limit, resolve: end } = Promise.withResolvers<string>()
    const limited = shared.forSession(1).run(going, (rest) => rest(() => limit))
    expect(await shared.forSession(1).run(going, () => Promise.resolve('not in its way'))).toBe(
      'not in its way',
    )
    end('waited')
    expect(await limited).toBe('waited')
  })

  it('are one fewer again for the others when the wait is over', async () => {
    const shared = createSharedSlots(1)
    const { started, ask } = makeWorks()
    const { promise: work, resolve: end } = Promise.withResolvers<string>()
    const limited = shared.forSession(1).run(going, async (rest) => {
      await rest(() => Promise.resolve())
      return work
    })
    await setImmediate()
    ask(shared.forSession(1), 'other', 1)
    await setImmediate()
    expect(started).toEqual([])
    end('done')
    await limited
    await setImmediate()
    expect(started).toEqual(['other1'])
  })
})
