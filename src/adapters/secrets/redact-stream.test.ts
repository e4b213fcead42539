import { expect, it } from 'vitest'
import type { AgentUpdate } from '../../model/agent/agent.ts'
import { GITHUB_TOKEN } from './made-up-secrets.ts'
import { redactUpdates } from './redact-stream.ts'

function streamed(...updates: readonly (string | AgentUpdate)[]): readonly AgentUpdate[] {
  const passed: AgentUpdate[] = []
  const stream = redactUpdates((update) => passed.push(update))
  for (const update of updates)
    stream.hear(typeof update === 'string' ? { type: 'text', text: update } : update)
  stream.end()
  return passed
}

const textOf = (updates: readonly AgentUpdate[]): string =>
  updates.map((update) => (update.type === 'text' ? update.text : '|')).join('')

it('redacts a token that is divided over any two pieces', () => {
  for (let at = 1; at < GITHUB_TOKEN.length; at += 1) {
    const passed = streamed(`I use ${GITHUB_TOKEN.slice(0, at)}`, `${GITHUB_TOKEN.slice(at)} for it.`)
    expect(textOf(passed)).toBe('I use [redacted: github token] for it.')
  }
})

it('passes every word on, in order, and what was held back before another update', () => {
  const usage = { type: 'usage', tokens: 1, cost_usd: 0 } as const
  expect(textOf(streamed('one tw', 'o thr', usage, 'ee', ' four'))).toBe('one two thr|ee four')
})

it('does not hold back a word without end', () => {
  expect(streamed('x'.repeat(5_000), 'y')).toEqual([
    { type: 'text', text: 'x'.repeat(5_000) },
    { type: 'text', text: 'y' },
  ])
})
