import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('turns', () => {
  it('lets so many work at once, the others in their order, also after one that failed', async () => {
    const turns = createTurns(2)
    const log: string[] = []
    const ends = new Map<string, (error?: Error) => void>()
    const begin = (name: string) =>
      turns(async () => {
        log.push(name)
        await new Promise<void>((resolve, reject) => {
          ends.set(name, (error) => (error ? reject(error) : resolve()))
        })
        return name
      })
    const all = Promise.allSettled(['a', 'b', 'c', 'd'].map(begin))
    await setImmediate()
    expect(log).toEqual(['a', 'b'])
    ends.get('b')?.(new Error('b failed'))
    await setImmediate()
    expect(log).toEqual(['a', 'b', 'c'])
    for (const name of ['c', 'a']) ends.get(name)?.()
    await setImmediate()
    ends.get('d')?.()
    expect((await all).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    const [again] = await Promise.all([begin('e'), setImmediate().then(() => ends.get('e')?.())])
    expect(again).toBe('e')
  })
})
