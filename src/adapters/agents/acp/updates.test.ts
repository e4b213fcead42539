import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentUpdate } from '../../../model/agent/agent.ts'
import { createUpdateReader, parseUpdate, usageOf } from './updates.ts'

const transcripts = join(import.meta.dirname, '../../../../test/fixtures/transcripts/acp')

interface Message {
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
}

/** What agents really sent, read again. */
function replay(name: string) {
  const heard: AgentUpdate[] = []
  const reader = createUpdateReader((update) => heard.push(update))
  reader.open()
  const lines = readFileSync(join(transcripts, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  const messages = lines.map((line) => JSON.parse(line) as Message)
  for (const { method, params } of messages) if (method === 'session/update') reader.read(params)
  const answer = messages.find(({ result }) => JSON.stringify(result)?.includes('stopReason'))
  return { heard, words: reader.words(), usage: usageOf(answer?.result, 'a-model') }
}

describe('what agents really sent', () => {
  test.each([
    [
      'gemini/edit',
      { costUsd: null },
      {
        tokens: 3_150,
        byModel: new Map([['gemini-2.5-pro', { input: 3_000, cachedInput: 0, output: 150 }]]),
      },
    ],
    [
      'claude-acp-latest/edit',
      { costUsd: expect.closeTo(0.02016, 5) },
      { tokens: 3_750, byModel: new Map([['a-model', { input: 3_000, cachedInput: 600, output: 150 }]]) },
    ],
    [
      'codex-acp/edit',
      { costUsd: null },
      { tokens: 2_100, byModel: new Map([['a-model', { input: 1_600, cachedInput: 400, output: 100 }]]) },
    ],
  ])('%s', (name, words, usage) => {
    const replayed = replay(name)
    expect(replayed.words).toMatchObject(words)
    expect(replayed.words.text).toContain('"status":"done"')
    expect(replayed.usage).toEqual(usage)
    expect(replayed.heard.map(({ type }) => type)).toContain('text')
  })

  test('tools are told by their kind and title', () => {
    expect(replay('gemini/edit').heard[0]).toEqual({ type: 'tool', name: 'read', detail: 'hello.txt' })
  })
})

test.each([
  null,
  7,
  {},
  { update: null },
  { update: { sessionUpdate: 'later' } },
  { update: { sessionUpdate: 'agent_message_chunk' } },
])('%j is no update', (params) => {
  expect(parseUpdate(params)).toBeNull()
})

const chunk = (text: string) => ({
  update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
})
const cost = (amount: number, currency = 'USD') => ({
  update: { sessionUpdate: 'usage_update', used: 5, size: 9, cost: { amount, currency } },
})

test('what an agent repeats of an earlier conversation is neither said nor paid for', () => {
  const heard: AgentUpdate[] = []
  const reader = createUpdateReader((update) => heard.push(update))
  reader.read(chunk('earlier'))
  reader.read(cost(1))
  reader.open()
  reader.read(chunk('now'))
  reader.read(cost(1.5))
  reader.read(cost(99, 'EUR'))
  expect(reader.words()).toMatchObject({ text: 'now', costUsd: 0.5 })
  expect(heard[1]).toEqual({ type: 'usage', tokens: 5, cost_usd: 0.5 })
})

test('the text of an endless talker is bounded', () => {
  const reader = createUpdateReader(() => undefined)
  reader.open()
  for (let count = 0; count < 200; count += 1) reader.read(chunk('x'.repeat(100_000)))
  expect(reader.words().text.length).toBeLessThan(9_000_000)
})

test.each([null, 7, {}, { usage: null, _meta: { quota: { token_count: null, model_usage: [] } } }])(
  '%j tells no usage',
  (response) => {
    expect(usageOf(response, 'm')).toEqual({ tokens: 0, byModel: new Map() })
  },
)

test('a tool that could not be started is remembered in the words of the agent, and one that ran counts against that', () => {
  const reader = createUpdateReader(() => undefined)
  reader.open()
  const end = (status: string, text = '') =>
    reader.read({
      update: {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'x',
        status,
        content: [{ type: 'content', content: { type: 'text', text } }],
      },
    })
  end('failed', '```\nNo suitable shell found. Claude CLI requires a Posix shell environment.\n```')
  const unstarted = 'No suitable shell found. Claude CLI requires a Posix shell environment.'
  expect(reader.words().tools).toEqual({ worked: 0, unstarted })
  end('in_progress')
  end('completed')
  expect(reader.words().tools).toEqual({ worked: 1, unstarted })
})
