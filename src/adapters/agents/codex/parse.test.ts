import { describe, expect, test } from 'vitest'
import { createListener, exited, failure } from '../../../../test/fixtures/agents/heard.ts'
import { finished } from '../../../../test/fixtures/attempt-samples.ts'
import { codexEnding, failureOf, resetTimeIn } from './ending.ts'
import { hearCodex, newCodexRun } from './parse.ts'

const { hear, replay } = createListener('codex', newCodexRun, hearCodex)
const stderr = (head: string) => ({ stderr: { head, tail: '', omittedBytes: 0 } })

describe('recorded runs', () => {
  test.each([
    ['success', 0, finished, 2000],
    ['shell', 0, finished, 2000],
    ['nonjson', 0, finished, 1000],
    ['subagent', 0, finished, 3000],
    ['resume-2', 0, finished, 2000],
    ['err-429-then-ok', 0, finished, 2000],
    ['err-401', 1, failure('auth', /401/), null],
    ['no-key', 1, failure('auth', /^Missing environment variable/), null],
    ['err-429-rate-noretry', 1, failure('rate_limited', /429/), null],
    ['err-quota', 1, failure('billing', /^Quota exceeded/), null],
    ['err-500-default', 1, failure('overloaded', /high demand/), null],
    ['err-503-overloaded', 1, failure('overloaded', /at capacity/), null],
    ['err-drop', 1, failure('overloaded', /^stream disconnected/), null],
    ['err-400', 1, failure('crashed', /^bad input$/), null],
    ['err-404-model', 1, failure('model_not_found', /`nope` does not exist/), null],
    ['err-400-model', 1, failure('model_not_found', /'nope' does not exist/), null],
    ['err-400-detail', 1, failure('model_not_found', /^The 'nope' model is not supported/), null],
    ['too-long', 1, failure('too_long', /^Your input exceeds the context window/), null],
    ['too-long-mid', 1, failure('too_long', /ran out of room/), null],
    ['refusal', 0, failure('malformed', /empty answer/), 1000],
    ['content-filter', 1, failure('malformed', /content_filter/), null],
    ['max-output-tokens', 1, failure('malformed', /max_output_tokens/), null],
    ['err-502-html', 1, failure('overloaded', /502 Bad Gateway/), null],
  ])('%s (exit code %i) ends as it should', (name, code, ending, input) => {
    const { run } = replay(name)
    expect(codexEnding(run, exited(code), 1000)).toEqual(ending)
    expect(run.totals?.input_tokens ?? null).toBe(input)
  })

  test('a run that was killed has no end of its own', () => {
    const { run } = replay('hang-sigterm')
    const killed = exited(0, { ended: 'signalled', exitCode: null, signal: 'SIGTERM' })
    expect(codexEnding(run, killed, 1000)).toEqual(failure('crashed', /SIGTERM/))
    expect(codexEnding(run, exited(0), 1000)).toEqual(failure('malformed', /without an end/))
    expect(codexEnding(run, exited(1, { ended: 'timed_out' }), 1000)).toEqual(failure('timeout', /1s/))
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

describe('tools that cannot run', () => {
  const warning =
    'WARNING: proceeding, even though we could not create PATH aliases: Refusing to create helper binaries under temporary dir "/tmp"'
  const itemOf = (item: object): string => JSON.stringify({ type: 'item.completed', item })
  const command = (status: string, aggregated_output: string): string =>
    itemOf({ type: 'command_execution', command: 'ls', aggregated_output, exit_code: 1, status })
  const ended = [
    itemOf({ type: 'agent_message', text: 'I could not.' }),
    '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}',
  ]
  const bwrap = 'bwrap: execvp codex-linux-sandbox: No such file or directory'
  const endingOf = (lines: readonly string[], said = '') =>
    codexEnding(hear([...lines, ...ended]).run, exited(0, stderr(said)), 1)

  test('are told in the words of the CLI, as it really printed them', () => {
    const { run } = replay('tools-unavailable')
    const said = stderr(`${warning}\nERROR codex_core::tools::router: error=Exit code: 1`)
    expect(codexEnding(run, exited(0, said), 1)).toEqual(
      failure('tools_unavailable', /^WARNING: proceeding.*"\/tmp"$/),
    )
  })

  test('are told in the words of its sandbox', () => {
    expect(endingOf([command('failed', `${bwrap}\n`)])).toEqual(
      failure('tools_unavailable', /^bwrap: execvp/),
    )
  })

  test('are none where one tool ran, where none was used, and where a command only failed', () => {
    expect(endingOf([command('failed', bwrap), command('completed', 'x')], warning)).toEqual(finished)
    expect(endingOf([], warning)).toEqual(finished)
    expect(endingOf([command('failed', '1 test failed')], warning)).toEqual(finished)
  })
})

test('the CLI waits by itself before it asks again', () => {
  expect(hear(['{"type":"error","message":"Reconnecting... 1/5"}']).updates).toEqual([
    { type: 'waiting', kind: 'overloaded', reason: 'Reconnecting... 1/5', ms: 0 },
  ])
})

describe('what decides', () => {
  test('a lost conversation is one that the CLI does not know before it has begun, and nothing else', () => {
    const said = stderr(
      'Error: thread/resume: thread/resume failed: no rollout found for thread id x (code -32600)',
    )
    const lost = failure('crashed', /no rollout/, { conversation_lost: true })
    expect(codexEnding(newCodexRun, exited(1, said), 1)).toEqual(lost)
    const begun = hear(['{"type":"thread.started","thread_id":"t"}']).run
    expect(codexEnding(begun, exited(1, said), 1)).toEqual(failure('crashed', /no rollout/))
    expect(codexEnding(newCodexRun, exited(1, stderr('Error: x')), 1)).toEqual(failure('crashed', /Error: x/))
  })

  test('words after the wording of the CLI, and in answers, mean nothing', () => {
    expect(failureOf('{"error":{"message":"unexpected status 401, Quota exceeded"}}')).toEqual(
      failure('crashed', /401/),
    )
    expect(failureOf('unexpected status 500 x: You’ve hit your usage limit')).toEqual(
      failure('overloaded', /500/),
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
    const lines = ['', 'x', '{', 'null', '{"type":"turn.completed"}', '{"type":"error","message":"x"}']
    expect(hear(lines)).toEqual({ run: newCodexRun, updates: [] })
  })
})

describe('when a used-up limit is refilled', () => {
  const at = (...parts: [number, number, number, number, number]): string => new Date(...parts).toISOString()
  const now = new Date(2026, 10, 16, 4, 0)

  test.each([
    ['or try again at 5:03 AM.', at(2026, 10, 16, 5, 3)],
    ['or try again at 3:03 AM.', at(2026, 10, 17, 3, 3)],
    ['try again at 12:10 AM.', at(2026, 10, 17, 0, 10)],
    ['try again at 12:10 PM.', at(2026, 10, 16, 12, 10)],
    ['Try again at Nov 20th, 2026 1:05 PM.', at(2026, 10, 20, 13, 5)],
    ['try again later.', null],
    ['', null],
  ])('"%s" says that the limit is refilled at %s', (message, reset) => {
    expect(resetTimeIn(message, now)).toBe(reset)
  })
})
