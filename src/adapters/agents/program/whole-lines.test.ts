import { expect, it } from 'vitest'
import type { AgentUpdate } from '../../../model/agent/agent.ts'
import { wholeLines } from './whole-lines.ts'

function streamed(...updates: readonly (string | AgentUpdate)[]): readonly AgentUpdate[] {
  const passed: AgentUpdate[] = []
  const stream = wholeLines((update) => passed.push(update))
  for (const update of updates)
    stream.hear(typeof update === 'string' ? { type: 'text', text: update } : update)
  stream.end()
  return passed
}

const text = (lines: string) => ({ type: 'text', text: lines })

it('the buffer of lines passes a line on in one piece, wherever it was divided', () => {
  const line = 'I use token_1234 for it.'
  for (let at = 1; at < line.length; at += 1)
    expect(streamed(`One.\n${line.slice(0, at)}`, `${line.slice(at)}\nTwo.`)).toEqual([
      text('One.\n'),
      text(`${line}\n`),
      text('Two.'),
    ])
})

it('the buffer of lines passes on what was held back before another update, and at the end', () => {
  const usage = { type: 'usage', tokens: 1, cost_usd: 0 } as const
  expect(streamed('one tw', 'o thr', usage, 'ee')).toEqual([text('one two thr'), usage, text('ee')])
})

it('the buffer of lines parts a line without end where nothing is parted that belongs together', () => {
  const report = `{"findings": [${'{"title": "a", "why": "b"}, '.repeat(200)}`
  const token = '{"token": "ghp_0123456789", "more": 1}'
  for (let at = 1; at < token.length; at += 1) {
    const pieces = streamed(report + token.slice(0, at), `${token.slice(at)}, ${'{}, '.repeat(100)}`)
    const texts = pieces.map((piece) => (piece.type === 'text' ? piece.text : ''))
    expect(texts.join('')).toBe(`${report}${token}, ${'{}, '.repeat(100)}`)
    expect(texts.filter((said) => said.includes('"token": "ghp_0123456789"'))).toHaveLength(1)
  }
})

it('the buffer of lines does not hold back a line without end', () => {
  expect(streamed('x'.repeat(5_000), 'y')).toEqual([text('x'.repeat(5_000)), text('y')])
})
