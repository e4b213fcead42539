import { describe, expect, test } from 'vitest'
import type { DuplexResult } from '../../process/duplex-process.ts'
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
  acpEnding(result, { text, timeoutMs: 60_000 })

const failed = (kind: string, message: RegExp, more: object = {}) => ({
  ended: 'failed',
  kind,
  message: expect.stringMatching(message),
  reset_at: null,
  ...more,
})

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
    expect(ending(talked(error(code)))).toEqual(failed(kind, /^no$/))
  })

  test.each([{ status: 429 }, { statusCode: 429 }, { code: 429 }])(
    'or by the status in its data: %j',
    (data) => {
      expect(ending(talked(error(-32_603, { data })))).toEqual(failed('rate_limited', /no/))
    },
  )

  test('and never by its words', () => {
    const said = error(-32_603, { message: '401 quota billing', data: { details: '429 rate limit' } })
    expect(ending(talked(said))).toEqual(failed('crashed', /^401 quota billing: 429 rate limit$/))
  })

  test('a conversation that cannot be loaded is lost, unless nothing can be loaded now', () => {
    const lost = { conversation_lost: true }
    for (const code of [-32_002, -32_602, -32_603])
      expect(ending(talked(error(code, { step: 'load' })))).toEqual(failed('crashed', /no/, lost))
    expect(ending(talked(error(-32_000, { step: 'load' })))).toEqual(failed('auth', /no/))
    expect(ending(talked(error(503, { step: 'load' })))).toEqual(failed('overloaded', /no/))
  })
})

describe('a turn is judged by its stop reason', () => {
  test.each<[string, unknown]>([
    ['end_turn', { ended: 'finished' }],
    ['refusal', failed('malformed', /refused/)],
    ['max_tokens', failed('malformed', /cut off/)],
    ['max_turn_requests', failed('malformed', /model calls/)],
    ['cancelled', failed('cancelled', /cancelled/)],
    ['of_a_later_version', failed('malformed', /of_a_later_version/)],
  ])('%s', (reason, expected) => {
    expect(ending(talked(stop(reason)))).toEqual(expected)
  })

  test('nothing said is no answer', () => {
    expect(ending(talked(stop('end_turn')), ' \n')).toEqual(failed('malformed', /without an answer/))
  })

  test('an agent that ends right after its answer has answered', () => {
    expect(ending(talked(stop('end_turn'), { ended: 'exited', exitCode: 1 }))).toEqual({ ended: 'finished' })
  })
})

describe('a program is judged by its end', () => {
  const broken = error(null, { message: 'ACP connection closed' })
  test.each<[DuplexResult<AcpOutcome>, unknown]>([
    [talked(null, { ended: 'timed_out' }), failed('timeout', /after 1m/)],
    [talked(stop('end_turn'), { ended: 'cancelled' }), failed('cancelled', /cancelled/)],
    [talked(null, { ended: 'flooded' }), failed('crashed', /without end/)],
    [talked(null, { ended: 'not_started', error: 'no shell' }), failed('crashed', /no shell/)],
    [
      talked(broken, { ended: 'exited', exitCode: 3, stderr: words('boom') }),
      failed('crashed', /^exit code 3\nboom$/),
    ],
    [talked(broken, { ended: 'signalled', signal: 'SIGSEGV' }), failed('crashed', /SIGSEGV/)],
    [talked(broken), failed('malformed', /connection closed/)],
    [talked(null), failed('malformed', /no answer/)],
  ])('%#', (result, expected) => {
    expect(ending(result)).toEqual(expected)
  })
})
