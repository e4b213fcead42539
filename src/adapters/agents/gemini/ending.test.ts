import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exited, failure } from '../../../../test/fixtures/agents/heard.ts'
import type { ProcessResult } from '../../process/start-process.ts'
import { geminiEnding, type GeminiOutcome, nextPacificMidnight } from './ending.ts'
import { createGeminiReader } from './parse.ts'

const transcripts = join(import.meta.dirname, '../../../../test/fixtures/transcripts/gemini')
const now = new Date('2026-03-01T12:00:00Z')

const ended = (given: Partial<ProcessResult>, stderr = ''): ProcessResult =>
  exited(0, { stderr: { head: stderr, tail: '', omittedBytes: 0 }, ...given })

const outcomeOf = (process: ProcessResult, given: Partial<GeminiOutcome> = {}): GeminiOutcome => ({
  process,
  result: null,
  errors: [],
  text: '',
  tools: { worked: 0, unstarted: null },
  timeoutMs: 60_000,
  isResumed: false,
  now,
  ...given,
})

/** What the CLI really printed, read again. */
function replay(name: string, given: Partial<GeminiOutcome> = {}) {
  const read = (file: string): string => readFileSync(join(transcripts, name, file), 'utf8')
  const reader = createGeminiReader(() => undefined)
  for (const line of read('stdout').split('\n')) reader.read(line)
  const answer = reader.answer()
  const process = ended({ exitCode: Number(read('exit-code')) }, read('stderr'))
  return { answer, ending: geminiEnding(outcomeOf(process, { ...answer, ...given })) }
}

describe('what the CLI really printed', () => {
  test.each([
    ['success', { ended: 'finished' }],
    ['subagent', { ended: 'finished' }],
    ['nonjson', { ended: 'finished' }],
    ['tools-unavailable', failure('tools_unavailable', /^spawn bash EACCES$/)],
    ['err-401', failure('auth', /UNAUTHENTICATED/)],
    ['err-403', failure('auth', /PERMISSION_DENIED/)],
    ['err-403-billing', failure('billing', /BILLING_DISABLED/)],
    ['err-400-key', failure('auth', /API_KEY_INVALID/)],
    ['err-404-model', failure('model_not_found', /not found/)],
    ['too-long', failure('too_long', /exceeds the maximum number of tokens/)],
    ['err-502-page', failure('overloaded', /502 Bad Gateway/)],
    ['err-502-html', failure('overloaded', /Unexpected token '<'/)],
    ['err-200-html', failure('overloaded', /Incomplete JSON/)],
    ['err-429-quota-day', failure('quota', /daily quota/, { reset_at: '2026-03-02T08:00:00.000Z' })],
    ['err-429-soon', failure('rate_limited', /20s/)],
    ['err-503-1attempt', failure('overloaded', /overloaded/)],
    ['cut-off', { ended: 'finished' }],
    ['refusal', failure('malformed', /blocked due to safety/)],
    ['thoughts-only', failure('malformed', /truncated/)],
    ['max-turns', failure('malformed', /max session turns/)],
    ['no-key', failure('auth', /GEMINI_API_KEY/)],
    ['resume-4-unknown', failure('crashed', /Invalid session identifier/)],
  ])('%s', (name, ending) => {
    expect(replay(name).ending).toEqual(ending)
  })

  test('an unknown conversation is lost only for a run that should continue one', () => {
    const { ending } = replay('resume-4-unknown', { isResumed: true })
    expect(ending).toMatchObject({ kind: 'crashed', conversation_lost: true })
  })

  test('a run with a sub-agent has one answer and the tokens of both', () => {
    expect(replay('subagent').answer).toMatchObject({
      text: '{"status":"done"}',
      model: 'gemini-2.5-pro',
      result: { status: 'success', stats: { total_tokens: 4_200 } },
    })
  })
})

describe('how a run ends', () => {
  const error = (message: string) =>
    ({ type: 'result', status: 'error', error: { type: 'unknown', message } }) as const
  const body = (code: number, reason: string): string =>
    `[API Error: ${JSON.stringify({ error: { code, details: [{ reason }] } })}]`
  const told = (name: string, fields: string): string =>
    `Warning: x\nError when talking to Gemini API Full report available at: /tmp/x.json ${name}: no\n    at x {\n${fields}\n}\n`

  test.each<[string, number, Partial<GeminiOutcome>, string, unknown]>([
    ['exit 0 without a result', 0, {}, '', failure('crashed', /exit code 0/)],
    [
      'exit 0 with an error',
      0,
      { result: { type: 'result', status: 'error' }, errors: ['empty'] },
      '',
      failure('malformed', /^empty$/),
    ],
    [
      'success without a word',
      0,
      { result: { type: 'result', status: 'success' }, text: ' \n' },
      '',
      failure('malformed', /without an answer/),
    ],
    [
      'a success that exits with 1',
      1,
      { result: { type: 'result', status: 'success' }, text: 'done' },
      'boom',
      failure('crashed', /boom/),
    ],
    ['402', 146, { result: error('pay') }, '', failure('billing', /pay/)],
    [
      'a billing account that is closed',
      147,
      { result: error(body(403, 'BILLING_DISABLED')) },
      '',
      failure('billing', /./),
    ],
    [
      'credits that are used up',
      173,
      { result: error('no') },
      told('TerminalQuotaError', "  retryDelayMs: undefined,\n  reason: 'INSUFFICIENT_G1_CREDITS_BALANCE',"),
      failure('billing', /no/),
    ],
    [
      'a quota with a delay',
      173,
      { result: error('no') },
      told('TerminalQuotaError', '  retryDelayMs: 90000,\n  status: 429'),
      failure('quota', /no/, { reset_at: '2026-03-01T12:01:30.000Z' }),
    ],
    [
      'a limit of a minute',
      173,
      { result: error('quota') },
      told('RetryableQuotaError', '  retryDelayMs: 20000,'),
      failure('rate_limited', /quota/),
    ],
    ['500', 244, { result: error('no') }, '', failure('overloaded', /no/)],
    ['504', 248, { result: error('no') }, '', failure('overloaded', /no/)],
    [
      'a broken connection',
      1,
      { result: error('[API Error: exception TypeError: fetch failed sending request]') },
      '',
      failure('overloaded', /fetch failed/),
    ],
    ['words of a model', 1, { text: '429 fetch failed' }, '', failure('crashed', /exit code 1/)],
    ['a bad flag', 1, {}, 'Unknown argument', failure('crashed', /Unknown argument/)],
  ])('%s', (_, exitCode, given, stderr, ending) => {
    expect(geminiEnding(outcomeOf(ended({ exitCode }, stderr), given))).toEqual(ending)
  })

  test.each<[Partial<ProcessResult>, unknown]>([
    [{ ended: 'timed_out' }, failure('timeout', /after 1m/)],
    [{ ended: 'cancelled' }, failure('cancelled', /cancelled/)],
    [{ ended: 'flooded' }, failure('crashed', /without end/)],
    [{ ended: 'signalled', signal: 'SIGKILL' }, failure('crashed', /SIGKILL/)],
    [{ ended: 'not_started', error: 'command not found' }, failure('crashed', /command not found/)],
  ])('%o', (process, ending) => {
    expect(geminiEnding(outcomeOf(ended(process), { text: 'done' }))).toEqual(ending)
  })
})

test.each([
  ['2026-03-01T12:00:00Z', '2026-03-02T08:00:00.000Z'],
  ['2026-07-01T06:59:59Z', '2026-07-01T07:00:00.000Z'],
  ['2026-07-01T07:00:00Z', '2026-07-02T07:00:00.000Z'],
  ['2026-03-08T09:00:00Z', '2026-03-09T07:00:00.000Z'],
])('after %s it is midnight in California at %s', (from, midnight) => {
  expect(nextPacificMidnight(new Date(from)).toISOString()).toBe(midnight)
})
