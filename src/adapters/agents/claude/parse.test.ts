import { describe, expect, test } from 'vitest'
import { createListener, exited, failure } from '../../../../test/fixtures/agents/heard.ts'
import { finished } from '../../../../test/fixtures/attempt-samples.ts'
import type { ProcessResult } from '../../process/start-process.ts'
import { claudeEnding, textOf } from './ending.ts'
import { hearClaude, isCostEstimated, newClaudeRun, totalCost, totalTokens } from './parse.ts'

const { hear, replay } = createListener('claude', newClaudeRun, hearClaude)

describe('recorded runs', () => {
  test.each([
    ['success', 0, finished, 3750, 0.01143],
    ['nonjson', 0, finished, 1250, 0.00381],
    ['schema-ok', 0, finished, 3750, 0.01143],
    ['schema-nonjson', 0, finished, 2500, 0.00762],
    ['perm-denied-default', 0, finished, 2500, 0.00762],
    ['err-429-then-ok', 0, finished, 3750, 0.01143],
    ['resume-2', 0, finished, 1250, 0.00381],
    ['subagent-custom', 0, finished, 3750, 0.007747],
    ['bash-background-exit', 0, finished, 3750, 0.01143],
    ['unknown-model', 0, finished, 1_000_250, 4.00104],
    ['tools-unavailable', 0, failure('tools_unavailable', /^No suitable shell found/), 2500, 0.00762],
    ['err-401-retries0', 1, failure('auth', /^Invalid API key/), 0, 0],
    ['err-403', 1, failure('auth', /403/), 0, 0],
    ['no-key', 1, failure('auth', /^Not logged in/), 0, 0],
    ['err-429-retries0', 1, failure('rate_limited', /429/), 0, 0],
    ['err-529', 1, failure('overloaded', /529/), 0, 0],
    ['err-502-html', 1, failure('overloaded', /502/), 0, 0],
    ['refusal', 1, failure('malformed', /can't help/), 2500, 0.00762],
    ['err-500', 1, failure('overloaded', /500/), 0, 0],
    ['err-drop', 1, failure('overloaded', /^API Error: Connection dropped/), 0, 0],
    ['err-credit', 1, failure('billing', /^Credit balance/), 0, 0],
    ['err-404-model', 1, failure('model_not_found', /selected model/), 0, 0],
    ['too-long', 1, failure('too_long', /^Prompt is too long/), 0, 0],
    ['err-413', 1, failure('too_long', /^Request too large/), 0, 0],
    ['err-529-fallback', 0, finished, 1250, 0.00127],
    ['max-tokens', 1, failure('malformed', /output token maximum/), 5000, 0.01524],
    ['max-turns', 1, failure('malformed', /maximum number of turns/), 2500, 0.00762],
    ['max-budget', 1, failure('budget', /maximum budget/), 200_500, 0.60162],
    ['schema-invalid', 1, failure('malformed', /valid structured output/), 6250, 0.01905],
    ['resume-5-unknown', 1, failure('crashed', /^No conversation found/, { conversation_lost: true }), 0, 0],
    ['hang-sigint', 0, failure('crashed', /./), 0, 0],
    ['bash-sigterm', 143, failure('crashed', /^exit code 143/), 1201, 0],
  ])(
    '%s (exit code %i) ends as it should, with its own tokens and cost',
    (name, code, ending, tokens, cost) => {
      const { run } = replay(name)
      expect(claudeEnding(run, exited(code), 1000)).toEqual(ending)
      expect(totalTokens(run)).toBe(tokens)
      expect(run.costUsd).toBeCloseTo(cost, 5)
    },
  )

  test('the answer is the last result, and the structured one where there is one', () => {
    expect(textOf(replay('bash-background-exit').run.result ?? {})).toBe('again')
    expect(JSON.parse(textOf(replay('schema-ok').run.result ?? {}))).toEqual({
      status: 'done',
      changed: ['hello.txt'],
    })
  })

  test('text and tools are told as they come, with the tokens so far', () => {
    const { updates, run } = replay('success')
    expect(updates.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'text', text: 'Reading.' },
      { type: 'tool', name: 'Read', detail: '/repository/hello.txt' },
      { type: 'tool', name: 'Edit', detail: '/repository/hello.txt' },
      { type: 'text', text: '{"status":"done","changed":["hello.txt"]}' },
    ])
    expect(updates.at(-1)).toEqual({ type: 'usage', tokens: 3750, cost_usd: run.costUsd })
    expect(run).toMatchObject({
      model: 'claude-sonnet-4-5',
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test('the model is the one that answered, also after the CLI fell back to another', () => {
    expect(replay('err-529-fallback').run.model).toBe('claude-haiku-4-5')
  })

  test('waits of the CLI itself are told with their reason', () => {
    expect(replay('err-529-fallback').updates.filter(({ type }) => type === 'waiting')).toEqual([
      { type: 'waiting', kind: 'overloaded', reason: '529 overloaded, try 1 of 3', ms: 557 },
      { type: 'waiting', kind: 'overloaded', reason: '529 overloaded, try 2 of 3', ms: 1248 },
    ])
  })

  test('a run that was stopped has used what its calls told, by an estimate', () => {
    const { run, updates } = replay('timeout')
    expect([totalTokens(run), isCostEstimated(run)]).toEqual([300_201, true])
    expect(totalCost(run)).toBeCloseTo(0.9, 2)
    expect(updates.at(-1)).toEqual({ type: 'usage', tokens: 300_201, cost_usd: totalCost(run) })
    expect(isCostEstimated(replay('success').run)).toBe(false)
  })

  test('a cost that the CLI guessed is marked', () => {
    expect(replay('unknown-model').run.isCostGuessed).toBe(true)
    expect(replay('success').run.isCostGuessed).toBe(false)
  })
})

describe('what decides', () => {
  const result = (given: object): string =>
    JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: false,
      terminal_reason: 'completed',
      result: 'ok',
      total_cost_usd: 0,
      ...given,
    })

  test.each([
    [
      'an error with exit code 0 and success in its name',
      result({ is_error: true, api_error_status: 429 }),
      0,
      failure('rate_limited', /ok/),
    ],
    [
      'a result that was not completed',
      result({ terminal_reason: 'something_new' }),
      0,
      failure('malformed', /something_new/),
    ],
    ['an answer with exit code 1', result({}), 1, finished],
    ['an empty answer', result({ result: ' \n' }), 0, failure('malformed', /empty/)],
    ['no result', '', 0, failure('malformed', /without a result/)],
    [
      'a demand to pay',
      result({ is_error: true, api_error_type: 'billing_error' }),
      1,
      failure('billing', /ok/),
    ],
    [
      'words about limits in an answer',
      result({ result: 'usage limit reached, 401, credit balance is too low' }),
      0,
      finished,
    ],
    ['a refusal', result({ is_error: true, stop_reason: 'refusal' }), 1, failure('malformed', /ok/)],
  ])('%s', (_, line, code, ending) => {
    expect(claudeEnding(hear([line]).run, exited(code), 1000)).toEqual(ending)
  })

  test('a used-up limit has its time of refill only when the CLI says that it was refused', () => {
    const limit = (status: string) =>
      JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status, resetsAt: 1_900_000_000 } })
    const end = result({ is_error: true, api_error: 'usage_limit_reached', api_error_status: 429 })
    const reset = { reset_at: '2030-03-17T17:46:40.000Z' }
    expect(claudeEnding(hear([limit('rejected'), end]).run, exited(1), 1)).toEqual(
      failure('quota', /ok/, reset),
    )
    expect(claudeEnding(hear([limit('allowed'), end]).run, exited(1), 1)).toEqual(failure('quota', /ok/))
    expect(claudeEnding(hear([limit('rejected'), result({})]).run, exited(0), 1)).toEqual(finished)
  })

  test('what stopped the process comes before what it printed', () => {
    const { run } = replay('success')
    const end = (ended: ProcessResult['ended']) => claudeEnding(run, exited(0, { ended }), 1000)
    expect(end('timed_out')).toEqual(failure('timeout', /1s/))
    expect(end('cancelled')).toEqual(failure('cancelled', /cancelled/))
    expect(end('flooded')).toEqual(failure('crashed', /without end/))
  })

  test('lines that are no event change nothing', () => {
    const lines = [
      '',
      'warning: x',
      '{',
      '[]',
      'null',
      '{"type":"result"}',
      '{"type":"new","is_error":true}',
      '{"__proto__":1}',
    ]
    expect(hear(lines)).toEqual({ run: newClaudeRun, updates: [] })
  })
})
