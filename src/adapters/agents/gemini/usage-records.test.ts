import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readRecordedUsage } from './usage-records.ts'

const store = mkdtempSync(join(tmpdir(), 'fixpoint-gemini-'))
afterAll(() => rmSync(store, { recursive: true }))
const id = '98607bcb-4527-4b20-9f56-b1af99f6d1f2'

const answer = (name: string, timestamp: string, model = 'gemini-2.5-pro') => ({
  id: name,
  timestamp,
  type: 'gemini',
  tokens: { input: 1000, output: 50, cached: 200, thoughts: 10, tool: 0, total: 1060 },
  model,
})

it('the reader of usage records adds up the answers of this run, each once, by model', async () => {
  const chats = join(store, 'tmp/project/chats')
  mkdirSync(chats, { recursive: true })
  const lines = [
    { sessionId: id, kind: 'main' },
    answer('old', '2026-11-17T05:00:00.000Z'),
    answer('one', '2026-11-17T05:17:28.783Z'),
    { $set: { lastUpdated: '2026-11-17T05:17:28.784Z' } },
    answer('one', '2026-11-17T05:17:28.783Z'),
    answer('two', '2026-11-17T05:18:28.783Z', 'gemini-2.5-flash'),
  ]
  const file = join(chats, `session-2026-11-17T05-17-${id.slice(0, 8)}.jsonl`)
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  const counts = { input: 800, cachedInput: 200, output: 60 }
  expect(await readRecordedUsage(store, id, new Date('2026-11-17T05:17:00Z'))).toEqual({
    tokens: 2120,
    byModel: new Map([
      ['gemini-2.5-pro', counts],
      ['gemini-2.5-flash', counts],
    ]),
  })
  expect(await readRecordedUsage(store, id, new Date('2026-11-18T00:00:00Z'))).toBeNull()
  expect(await readRecordedUsage(store, 'another', new Date(0))).toBeNull()
})
