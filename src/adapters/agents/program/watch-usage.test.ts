import { expect, it } from 'vitest'
import type { AgentUpdate } from '../../../model/agent/agent.ts'
import { watchUsage } from './watch-usage.ts'

it('the watch over usage reports each growth once, goes on after what cannot be read, and ends with the work', async () => {
  const usage = (tokens: number) => ({ tokens, cost_usd: tokens / 10 })
  const reads = [null, usage(10), new Error('gone'), usage(10), usage(30)]
  const updates: AgentUpdate[] = []
  const { promise: isRead, resolve } = Promise.withResolvers<string>()
  const read = async () => {
    const next = reads.shift()
    if (reads.length === 0) resolve('done')
    if (next instanceof Error) throw next
    return next ?? null
  }
  const watch = { read, onUpdate: (update: AgentUpdate) => void updates.push(update), everyMs: 1 }
  expect(await watchUsage(watch, () => isRead)).toBe('done')
  expect(updates).toEqual([
    { type: 'usage', ...usage(10) },
    { type: 'usage', ...usage(30) },
  ])
})
