import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentUpdate } from '../../../model/agent/agent.ts'
import { EMPTY_TEXT } from '../../process/bounded-text.ts'
import type { ProcessResult } from '../../process/start-process.ts'
import { codexEnding, failureOf } from './ending.ts'
import { hearCodex, newCodexRun, type CodexRun } from './parse.ts'

const transcripts = join(import.meta.dirname, '../../../../test/fixtures/transcripts/codex')

function hear(lines: readonly string[]): { run: CodexRun; updates: AgentUpdate[] } {
  let run = newCodexRun
  const updates: AgentUpdate[] = []
  for (const line of lines) {
    const heard = hearCodex(run, line)
    run = heard.run
    updates.push(...heard.updates)
  }
  return { run, updates }
}

const replay = (name: string) => hear(readFileSync(join(transcripts, `${name}.jsonl`), 'utf8').split('\n'))

const exited = (exitCode: number, given: Partial<ProcessResult> = {}): ProcessResult => ({
  ended: 'exited',
  exitCode,
  signal: null,
  stdout: EMPTY_TEXT,
  stderr: EMPTY_TEXT,
  durationMs: 1,
  ...given,
})
const stderr = (head: string) => ({ stderr: { head, tail: '', omittedBytes: 0 } })

const failed = (kind: string, message: RegExp, more: object = {}) => ({
  ended: 'failed',
  kind,
  message: expect.stringMatching(message),
  reset_at: null,
  ...more,
})
const finished = { ended: 'finished' }

describe('recorded runs', () => {
  test.each([
    ['success', 0, finished, 2000],
    ['shell', 0, finished, 2000],
    ['nonjson', 0, finished, 1000],
    ['subagent', 0, finished, 3000],
    ['resume-2', 0, finished, 2000],
    ['err-429-then-ok', 0, finished, 2000],
    ['err-401', 1, failed('auth', /401/), null],
    ['no-key', 1, failed('auth', /^Missing environment variable/), null],
    ['err-429-rate-noretry', 1, failed('rate_limited', /429/), null],
    ['err-quota', 1, failed('billing', /^Quota exceeded/), null],
    ['err-500-default', 1, failed('overloaded', /high demand/), null],
    ['err-503-overloaded', 1, failed('overloaded', /at capacity/), null],
    ['err-drop', 1, failed('overloaded', /^stream disconnected/), null],
    ['err-400', 1, failed('crashed', /bad input/), null],
  ])('%s (exit code %i) ends as it should', (name, code, ending, input) => {
    const { run } = replay(name)
    expect(codexEnding(run, exited(code), 1000)).toEqual(ending)
    expect(run.totals?.input_tokens ?? null).toBe(input)
  })

  test('a run that was killed has no end of its own', () => {
    const { run } = replay('hang-sigterm')
    const killed = exited(0, { ended: 'signalled', exitCode: null, signal: 'SIGTERM' })
    expect(codexEnding(run, killed, 1000)).toEqual(failed('crashed', /SIGTERM/))
    expect(codexEnding(run, exited(0), 1000)).toEqual(failed('malformed', /without an end/))
    expect(codexEnding(run, exited(1, { ended: 'timed_out' }), 1000)).toEqual(failed('timeout', /1s/))
  })

  test('text and tools are told as they come', () => {
    expect(replay('shell').updates).toEqual([
      { type: 'tool', name: 'exec_command', detail: "/bin/bash -lc 'echo hi > new.txt; cat new.txt'" },
      { type: 'text', text: 'done' },
    ])
    expect(replay('success').updates[0]).toEqual({
      type: 'tool',
      name: 'apply_patch',
      detail: '/repository/hello.txt',
    })
  })
})

describe('what decides', () => {
  test('a lost conversation is one that the CLI does not know before it has begun, and nothing else', () => {
    const said = stderr(
      'Error: thread/resume: thread/resume failed: no rollout found for thread id x (code -32600)',
    )
    const lost = failed('crashed', /no rollout/, { conversation_lost: true })
    expect(codexEnding(newCodexRun, exited(1, said), 1)).toEqual(lost)
    const begun = hear(['{"type":"thread.started","thread_id":"t"}']).run
    expect(codexEnding(begun, exited(1, said), 1)).toEqual(failed('crashed', /no rollout/))
    expect(codexEnding(newCodexRun, exited(1, stderr('Error: x')), 1)).toEqual(failed('crashed', /Error: x/))
  })

  test('words after the wording of the CLI, and in answers, mean nothing', () => {
    expect(failureOf('{"error":{"message":"unexpected status 401, Quota exceeded"}}')).toEqual(
      failed('crashed', /401/),
    )
    expect(failureOf('unexpected status 500 x: You’ve hit your usage limit')).toEqual(
      failed('overloaded', /500/),
    )
    const answer = { type: 'agent_message', text: 'unexpected status 401 Unauthorized. Quota exceeded.' }
    const usage = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 }
    const lines = [
      { type: 'item.completed', item: answer },
      { type: 'turn.completed', usage },
    ]
    expect(codexEnding(hear(lines.map((line) => JSON.stringify(line))).run, exited(0), 1)).toEqual(finished)
  })

  test('lines that are no event change nothing', () => {
    const lines = [
      '',
      'x',
      '{',
      'null',
      '{"type":"turn.completed"}',
      '{"type":"error","message":"Reconnecting... 1/5"}',
    ]
    expect(hear(lines)).toEqual({ run: newCodexRun, updates: [] })
  })
})
