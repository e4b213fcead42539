import { describe, expect, it } from 'vitest'
import { createLiveOutput } from './live-output.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('the live output of a command', () => {
  it('is told in whole lines, the rest at the end', async () => {
    const told: string[] = []
    const first = Promise.withResolvers<void>()
    const live = createLiveOutput((text) => {
      told.push(text)
      first.resolve()
    })
    live.push(encode('one\ntwo\nthr'))
    await first.promise
    live.push(encode('ee\nfour'))
    live.end()
    expect(told).toEqual(['one\ntwo', 'three\nfour'])
  })

  it('leaves out a line that is too long for it, and goes on with the next', async () => {
    const told: string[] = []
    const live = createLiveOutput((text) => told.push(text))
    live.push(encode('x'.repeat(5_000)))
    await new Promise((resolve) => setTimeout(resolve, 300))
    live.push(encode('xxx\nnext\n'))
    live.end()
    expect(told).toEqual(['next'])
  })

  it('is cut to its newest lines when it floods', () => {
    const told: string[] = []
    const live = createLiveOutput((text) => told.push(text))
    for (let count = 0; count < 20_000; count += 1) live.push(encode(`line ${count}\n`))
    live.end()
    expect(told).toHaveLength(1)
    expect(told[0]?.length).toBeLessThan(5_000)
    expect(told[0]).toMatch(/^…\nline \d+\n[^]*line 19999$/)
  })
})
