import { describe, expect, test } from 'vitest'
import { failure } from '../../../../test/fixtures/agents/heard.ts'
import type { DuplexResult } from '../../process/duplex-process.ts'
import { noTools } from '../program/tool-use.ts'
import { acpEnding, type AcpOutcome } from './ending.ts'

const words = (head: string) => ({ head, tail: '', omittedBytes: 0 })
const talked = (answer: AcpOutcome | null, given: Partial<DuplexResult<AcpOutcome>> = {}) => ({
  ended: 'talked' as const,
  answer,
  exitCode: 0,
  signal: null,
  stderr: words(''),
  durationMs: 1,
  ...given,
})
const ending = (result: DuplexResult<AcpOutcome>, text = 'rate limit, credit balance') =>
  acpEnding(result, { text, tools: noTools, timeoutMs: 60_000 })

const error = (
  code: number | null,
  given: Partial<Extract<AcpOutcome, { said: 'error' }>> = {},
): AcpOutcome => ({
  said: 'error',
  step: 'prompt',
  code,
  message: 'no',
  data: null,
  ...given,
})
const stop = (stopReason: string): AcpOutcome => ({ said: 'answer', stopReason, response: null })

describe('an error of an agent is judged by its code', () => {
  test.each<[number, string]>([
    [401, 'auth'],
    [403, 'auth'],
    [-32_000, 'auth'],
    [402, 'billing'],
    [429, 'rate_limited'],
    [500, 'overloaded'],
    [503, 'overloaded'],
    [529, 'overloaded'],
    [-32_800, 'cancelled'],
    [404, 'crashed'],
    [-32_603, 'crashed'],
  ])('%i is %s', (code, kind) => {
    expect(ending(talked(error(code)))).toEqual(failure(kind, /^no$/))
  })

  test.each([{ status: 429 }, { statusCode: 429 }, { code: 429 }])(
    'the status in its data counts too: %j',
    (data) => {
      expect(ending(talked(error(-32_603, { data })))).toEqual(failure('rate_limited', /no/))
    },
  )

  test.each([
    ['{"error":{"code":400,"message":"The input token count (9) exceeds the maximum"}}', 'too_long'],
    ['{"error":{"code":"context_length_exceeded","message":"x"}}', 'too_long'],
    ['{"error":{"code":404,"message":"x","status":"NOT_FOUND"}}', 'model_not_found'],
  ])('or by the body of its service that it passes on: %s', (message, kind) => {
    expect(ending(talked(error(400, { message })))).toMatchObject({ kind })
  })

  test('a run that asked its service in vain until its time was over says so', () => {
    const retry = (status: number) =>
      `Attempt 3 failed with status ${status}. Retrying with backoff... _ApiError: {}\n`
    const late = (said: string) => talked(null, { ended: 'timed_out', stderr: words(said) })
    expect(ending(late(retry(429) + retry(503)))).toEqual(failure('overloaded', /503, 2 times in 1m/))
    expect(ending(late(retry(401)))).toMatchObject({ kind: 'auth' })
    expect(ending(late('working'))).toMatchObject({ kind: 'timeout' })
  })

  test('its words never count', () => {
    const said = error(-32_603, { message: '401 quota billing', data: { details: '429 rate limit' } })
    expect(ending(talked(said))).toEqual(failure('crashed', /^401 quota billing: 429 rate limit$/))
  })

  test('a conversation that cannot be loaded is lost, unless nothing can be loaded now', () => {
    const lost = { conversation_lost: true }
    for (const code of [-32_002, -32_602, -32_603])
      expect(ending(talked(error(code, { step: 'load' })))).toEqual(failure('crashed', /no/, lost))
    expect(ending(talked(error(-32_000, { step: 'load' })))).toEqual(failure('auth', /no/))
    expect(ending(talked(error(503, { step: 'load' })))).toEqual(failure('overloaded', /no/))
  })
})

describe('a turn is judged by its stop reason', () => {
  test.each<[string, unknown]>([
    ['end_turn', { ended: 'finished' }],
    ['refusal', failure('malformed', /refused/)],
    ['max_tokens', failure('malformed', /cut off/)],
    ['max_turn_requests', failure('malformed', /model calls/)],
    ['cancelled', failure('cancelled', /cancelled/)],
    ['of_a_later_version', failure('malformed', /of_a_later_version/)],
  ])('%s', (reason, expected) => {
    expect(ending(talked(stop(reason)))).toEqual(expected)
  })

  test('nothing said is no answer', () => {
    expect(ending(talked(stop('end_turn')), ' \n')).toEqual(failure('malformed', /without an answer/))
  })

  test('an agent that ends right after its answer has answered', () => {
    expect(ending(talked(stop('end_turn'), { ended: 'exited', exitCode: 1 }))).toEqual({ ended: 'finished' })
  })
})

describe('a program is judged by its end', () => {
  const broken = error(null, { message: 'ACP connection closed' })
  test.each<[string, DuplexResult<AcpOutcome>, unknown]>([
    [
      'that took too long has timed out',
      talked(null, { ended: 'timed_out' }),
      failure('timeout', /after 1m/),
    ],
    [
      'that was cancelled is cancelled, whatever it answered',
      talked(stop('end_turn'), { ended: 'cancelled' }),
      failure('cancelled', /cancelled/),
    ],
    ['that floods has crashed', talked(null, { ended: 'flooded' }), failure('crashed', /without end/)],
    [
      'that cannot be started has crashed',
      talked(null, { ended: 'not_started', error: 'no shell' }),
      failure('crashed', /no shell/),
    ],
    [
      'that exits with a code has crashed',
      talked(broken, { ended: 'exited', exitCode: 3, stderr: words('boom') }),
      failure('crashed', /^exit code 3\nboom$/),
    ],
    [
      'that a signal ended has crashed',
      talked(broken, { ended: 'signalled', signal: 'SIGSEGV' }),
      failure('crashed', /SIGSEGV/),
    ],
    ['that closes the connection is malformed', talked(broken), failure('malformed', /connection closed/)],
    ['that says nothing is malformed', talked(null), failure('malformed', /no answer/)],
  ])('one %s', (_, result, expected) => {
    expect(ending(result)).toEqual(expected)
  })
})
