import type { AgentEnding, FailureKind } from '../../../model/agent/agent.ts'
import { formatDuration } from '../../../model/duration.ts'
import { isRecord } from '../../../model/agent/json-text.ts'
import { renderBoundedText } from '../../process/bounded-text.ts'
import type { DuplexResult } from '../../process/duplex-process.ts'

/** What came of the talk with an agent. */
export type AcpOutcome =
  | { readonly said: 'answer'; readonly stopReason: string; readonly response: unknown }
  | {
      readonly said: 'error'
      readonly step: 'initialize' | 'load' | 'session' | 'model' | 'prompt'
      /** Of the JSON-RPC error; null when the connection broke. */
      readonly code: number | null
      readonly message: string
      readonly data: unknown
    }

const shownWords = 2_000

/** How a run ended: by the program's end, the stop reason and error codes. What the agent said decides nothing. */
export function endingOf(
  result: DuplexResult<AcpOutcome>,
  { text, timeoutMs }: { readonly text: string; readonly timeoutMs: number },
): AgentEnding {
  switch (result.ended) {
    case 'timed_out':
      return failed('timeout', `it was not done after ${formatDuration(timeoutMs)}`)
    case 'cancelled':
      return failed('cancelled', 'it was cancelled')
    case 'flooded':
      return failed('crashed', 'it printed without end and was stopped')
    case 'not_started':
      return failed('crashed', `it could not be started: ${result.error ?? 'unknown reason'}`)
    case 'talked':
    case 'exited':
    case 'signalled':
      if (result.answer?.said === 'answer') return answerEnding(result.answer.stopReason, text)
      if (result.answer?.said === 'error' && result.answer.code !== null) return errorEnding(result.answer)
      return brokenEnding(result)
  }
}

/** Without an answer: a program that is gone has crashed, one that is there spoke in a way that nobody could follow. */
function brokenEnding(result: DuplexResult<AcpOutcome>): AgentEnding {
  const { ended, answer, exitCode, signal } = result
  if (ended === 'talked')
    return failed('malformed', `${answer?.said === 'error' ? answer.message : 'no answer'}${tailOf(result)}`)
  const how = ended === 'signalled' ? `ended by ${signal ?? 'a signal'}` : `exit code ${exitCode ?? '?'}`
  return failed('crashed', `${how}${tailOf(result)}`)
}

function answerEnding(stopReason: string, text: string): AgentEnding {
  switch (stopReason) {
    case 'end_turn':
      return text.trim() === '' ? failed('malformed', 'it ended without an answer') : { ended: 'finished' }
    case 'cancelled':
      return failed('cancelled', 'the agent cancelled its turn')
    case 'refusal':
      return failed('malformed', 'the model refused to go on')
    case 'max_tokens':
      return failed('malformed', 'the answer was cut off: the model had no tokens left')
    case 'max_turn_requests':
      return failed('malformed', 'it used all its model calls without coming to an end')
    default:
      return failed('malformed', `it stopped for a reason that is not known: ${stopReason}`)
  }
}

const authRequired = -32_000
const cancelledRequest = -32_800

function errorEnding({ step, code, message, data }: Extract<AcpOutcome, { said: 'error' }>): AgentEnding {
  const shown = detailed(message, data)
  if (code === authRequired) return failed('auth', shown)
  if (code === cancelledRequest) return failed('cancelled', shown)
  const kind = kindOfStatus(statusOf(code, data))
  if (kind !== 'crashed') return failed(kind, shown)
  return step === 'load' ? { ...failed('crashed', shown), conversation_lost: true } : failed('crashed', shown)
}

/** Agents pass the HTTP status of their service on, as the code or in the data of the error. */
function statusOf(code: number | null, data: unknown): number | null {
  const named = isRecord(data) ? [data['status'], data['statusCode'], data['code']] : []
  return [code, ...named].find((value): value is number => typeof value === 'number' && value >= 400) ?? null
}

function kindOfStatus(status: number | null): FailureKind {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'billing'
  if (status === 429) return 'rate_limited'
  return status !== null && status >= 500 && status < 600 ? 'overloaded' : 'crashed'
}

function detailed(message: string, data: unknown): string {
  const details = isRecord(data) && typeof data['details'] === 'string' ? `: ${data['details']}` : ''
  return `${message}${details}`.slice(0, shownWords)
}

const failed = (kind: FailureKind, message: string) =>
  ({ ended: 'failed', kind, message, reset_at: null }) as const

function tailOf({ stderr }: DuplexResult<AcpOutcome>): string {
  const words = renderBoundedText(stderr).trim()
  return words === '' ? '' : `\n${words.slice(-shownWords)}`
}
