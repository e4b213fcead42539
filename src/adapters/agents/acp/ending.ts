import type { AgentEnding, AgentUpdate, FailureKind } from '../../../model/agent/agent.ts'
import { formatDuration } from '../../../model/duration.ts'
import { findJsonObjects, isRecord } from '../../../model/json-text.ts'
import { renderBoundedText } from '../../process/bounded-text.ts'
import type { DuplexResult } from '../../process/duplex-process.ts'
import {
  failed,
  kindOfRetry,
  kindOfStatus,
  crashedEnding,
  stderrTail,
  stoppedEnding,
} from '../program/ending.ts'
import { unusableEnding } from '../program/tool-use.ts'
import type { AcpWords } from './updates.ts'

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
export function acpEnding(
  result: DuplexResult<AcpOutcome>,
  { text, tools, timeoutMs }: Pick<AcpWords, 'text' | 'tools'> & { readonly timeoutMs: number },
): AgentEnding {
  const stopped = stoppedEnding(result, timeoutMs)
  if (stopped) return stopped.kind === 'timeout' ? (retryingEnding(result, timeoutMs) ?? stopped) : stopped
  if (result.answer?.said === 'answer')
    return unusableEnding(tools) ?? answerEnding(result.answer.stopReason, text)
  if (result.answer?.said === 'error' && result.answer.code !== null) return errorEnding(result.answer)
  return brokenEnding(result)
}

/** What Gemini says on stderr each time that it asks its service again; it does so for longer than a run may take. */
const retryWording = /^Attempt \d+ failed with status (\d{3})\. Retrying\b/gm

/** A line of stderr that says that the agent asks its service again, as an update; nothing for any other. */
export const retryUpdates = (line: string): readonly AgentUpdate[] =>
  [...line.matchAll(retryWording)].map(([, status]) => retryUpdate(Number(status)))

/** An agent waits since its service answered so. */
export const retryUpdate = (status: number): AgentUpdate => ({
  type: 'waiting',
  kind: kindOfRetry(status),
  reason: `its service answered ${status}`,
  ms: 0,
})

/** The ending of a run whose time was over while its agent asked the service again and again; null for any other. */
function retryingEnding({ stderr }: DuplexResult<AcpOutcome>, timeoutMs: number): AgentEnding | null {
  const statuses = [...renderBoundedText(stderr).matchAll(retryWording)].map(([, status]) => Number(status))
  const last = statuses.at(-1)
  if (last === undefined) return null
  const again = `its service answered ${last}, ${statuses.length} times in ${formatDuration(timeoutMs)}`
  return failed(kindOfStatus(last), again)
}

/**
 * The ending of a run without an answer: a program that is gone has crashed; one that still runs did not follow the
 * protocol.
 */
function brokenEnding(result: DuplexResult<AcpOutcome>): AgentEnding {
  const { ended, answer } = result
  if (ended !== 'talked') return crashedEnding(result)
  return failed(
    'malformed',
    `${answer?.said === 'error' ? answer.message : 'no answer'}${stderrTail(result)}`,
  )
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
  const status = statusOf(code, data)
  const kind = kindOfMessage(message) ?? (status < 600 ? kindOfStatus(status) : 'crashed')
  if (kind !== 'crashed') return failed(kind, shown)
  return step === 'load' ? { ...failed('crashed', shown), conversation_lost: true } : failed('crashed', shown)
}

/** Agents pass the body of their service on as the message of the error; its codes say what the status does not. */
function kindOfMessage(message: string): FailureKind | null {
  const error = message.startsWith('{') ? findJsonObjects(message)[0]?.['error'] : null
  if (!isRecord(error)) return null
  const { code, type, message: words } = error
  if (code === 'context_length_exceeded' || type === 'request_too_large') return 'too_long'
  if (code === 'model_not_found' || error['status'] === 'NOT_FOUND') return 'model_not_found'
  return code === 400 && /^(?:The input token count|prompt is too long)\b/.test(String(words))
    ? 'too_long'
    : null
}

/** Agents pass the HTTP status of their service on, as the code or in the data of the error; 0 without one. */
function statusOf(code: number | null, data: unknown): number {
  const named = isRecord(data) ? [data['status'], data['statusCode'], data['code']] : []
  return [code, ...named].find((value): value is number => typeof value === 'number' && value >= 400) ?? 0
}

function detailed(message: string, data: unknown): string {
  const details = isRecord(data) && typeof data['details'] === 'string' ? `: ${data['details']}` : ''
  return `${message}${details}`.slice(0, shownWords)
}
