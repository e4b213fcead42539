import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readRecordedTotals } from './usage-records.ts'

const home = mkdtempSync(join(tmpdir(), 'fixpoint-codex-'))
afterAll(() => rmSync(home, { recursive: true }))

const folders = [join(home, 'nowhere'), join(home, 'sessions')]

const usage = (input_tokens: number) => ({ input_tokens, cached_input_tokens: 200, output_tokens: 50 })
const record = (tokens: number) => ({
  type: 'token_usage_record',
  payload: { usage: usage(1), thread_token_usage: usage(tokens) },
})
const counted = (tokens: number) => ({
  type: 'event_msg',
  payload: { type: 'token_count', info: { total_token_usage: usage(tokens), last_token_usage: usage(1) } },
})

function keep(day: string, id: string, lines: readonly object[], rest = ''): void {
  const folder = join(home, 'sessions', day)
  mkdirSync(folder, { recursive: true })
  const text = [{ type: 'session_meta', payload: {} }, ...lines]
    .map((line) => JSON.stringify(line))
    .join('\n')
  writeFileSync(join(folder, `rollout-2026-11-17T05-18-01-${id}.jsonl`), `${text}\n${rest}`)
}

it('the reader of usage records finds the last totals that the CLI has noted down of a thread, whatever the day', async () => {
  keep('2026/11/16', 'thread-a', [record(1_000), counted(1_000), record(5_000)])
  keep(
    '2026/11/17',
    'thread-b',
    [counted(7_000), counted(null as unknown as number)],
    '{"type":"token_usage_rec',
  )
  expect(await readRecordedTotals(folders, 'thread-a')).toEqual(usage(5_000))
  expect(await readRecordedTotals(folders, 'thread-b')).toEqual(usage(7_000))
})

it('the reader of usage records knows nothing of a thread that is not kept', async () => {
  expect(await readRecordedTotals(folders, 'thread-c')).toBeNull()
  expect(await readRecordedTotals([], 'thread-a')).toBeNull()
})
