import type { AgentEnding } from '../../../model/agent/agent.ts'
import { renderBoundedText } from '../../process/bounded-text.ts'
import type { ProcessResult } from '../../process/start-process.ts'
import { failed, crashedEnding, stderrTail, stoppedEnding } from '../program/ending.ts'
import { unusableEnding, type ToolUse } from '../program/tool-use.ts'
import type { GeminiResult } from './parse.ts'
import { findJsonObjects, isRecord } from '../../../model/json-text.ts'

export interface GeminiOutcome {
  readonly process: ProcessResult
  readonly result: GeminiResult | null
  /** What it called an error while it ran. */
  readonly errors: readonly string[]
  readonly text: string
  readonly tools: ToolUse
  readonly timeoutMs: number
  readonly isResumed: boolean
  readonly now: Date
}

const shownMessage = 2_000

/** How a run ended: by its exit code and the CLI's own error fields. What the model said decides nothing. */
export function geminiEnding(outcome: GeminiOutcome): AgentEnding {
  const { process, timeoutMs } = outcome
  if (process.ended === 'signalled') return crashedEnding(process)
  return stoppedEnding(process, timeoutMs) ?? exitEnding(outcome)
}

function exitEnding(outcome: GeminiOutcome): AgentEnding {
  const { process, result, errors, text, tools } = outcome
  const code = process.exitCode ?? -1
  const unusable = unusableEnding(tools)
  if (code === 0 && result && unusable !== null) return unusable
  if (code === 0 && result?.status === 'success')
    return text.trim() === '' ? failed('malformed', 'it ended without an answer') : { ended: 'finished' }
  const said = result?.error?.message ?? errors.at(-1)
  const message = said === undefined ? `exit code ${code}${stderrTail(process)}` : said.slice(0, shownMessage)
  // An answer that the CLI itself could not use, such as an empty one, ends it with 0.
  if (code === 0 && result) return failed('malformed', message)
  const status = httpStatusOf(code)
  return status === null ? fatalEnding(code, message, outcome) : apiEnding(status, message, outcome)
}

/** The CLI exits with the HTTP status of the service, of which the system keeps the lower eight bits. */
const httpStatusOf = (code: number): number | null => (code >= 400 - 256 ? code + 256 : null)

const exitAuth = 41
const exitInput = 42
const exitTurns = 53

function fatalEnding(code: number, message: string, outcome: GeminiOutcome): AgentEnding {
  const { isResumed, result, process } = outcome
  if (code === exitAuth) return failed('auth', message)
  if (code === exitInput && isResumed) return { ...failed('crashed', message), conversation_lost: true }
  if (code === exitTurns) return failed('malformed', message)
  const { errorClass } = readApiError('', renderBoundedText(process.stderr))
  if (errorClass === 'ModelNotFoundError') return failed('model_not_found', message)
  return failed(result?.error && isNoAnswer(result.error.message) ? 'overloaded' : 'crashed', message)
}

/**
 * What the CLI says about a broken connection, and about an answer that is not the service's own, such as the page of a
 * proxy.
 */
const isNoAnswer = (message: string): boolean =>
  /^\[API Error: (?:exception \w+: fetch failed\b|Unexpected token '<'|Incomplete JSON segment at the end)/.test(
    message,
  )

function apiEnding(status: number, message: string, { process, result, now }: GeminiOutcome): AgentEnding {
  const { reasons, errorClass, retryDelayMs } = readApiError(
    result?.error?.message ?? '',
    renderBoundedText(process.stderr),
  )
  if (status === 402 || reasons.some((reason) => billingReasons.has(reason)))
    return failed('billing', message)
  if (status === 401 || status === 403 || reasons.includes('API_KEY_INVALID')) return failed('auth', message)
  if (status === 429) {
    if (errorClass !== 'TerminalQuotaError') return failed('rate_limited', message)
    // The CLI names no delay for a daily quota, which begins anew at midnight in California.
    const resetAt = retryDelayMs === null ? nextPacificMidnight(now) : new Date(now.getTime() + retryDelayMs)
    return { ...failed('quota', message), reset_at: resetAt.toISOString() }
  }
  if (status === 413 || isTooLong(result?.error?.message ?? '')) return failed('too_long', message)
  return failed(status >= 500 ? 'overloaded' : 'crashed', message)
}

/** The service has no code of its own for a prompt that is too long. */
const isTooLong = (message: string): boolean =>
  findJsonObjects(message).some(
    ({ error }) =>
      isRecord(error) &&
      error['status'] === 'INVALID_ARGUMENT' &&
      /^The input token count \(?\d+\)? exceeds the maximum number of tokens/.test(String(error['message'])),
  )

const billingReasons = new Set(['BILLING_DISABLED', 'INSUFFICIENT_G1_CREDITS_BALANCE'])

interface ApiError {
  /** `google.rpc.ErrorInfo` reasons, such as API_KEY_INVALID. */
  readonly reasons: readonly string[]
  /** The CLI's own name for the error, such as TerminalQuotaError. */
  readonly errorClass: string | null
  readonly retryDelayMs: number | null
}

/** What the CLI says about an error of the service: the body in its result, its own error object on stderr. */
function readApiError(message: string, stderr: string): ApiError {
  const [, errorClass = null, fields = ''] =
    /^Error when talking to Gemini API\b.*? (\w*Error): ([^]*)/m.exec(stderr) ?? []
  const retryDelay = /^ {2}retryDelayMs: (\d+(?:\.\d+)?),?$/m.exec(fields)?.[1]
  const reason = /^ {2}reason: '([A-Z0-9_]+)',?$/m.exec(fields)?.[1]
  return {
    reasons: [...reasonsIn(message), ...(reason === undefined ? [] : [reason])],
    errorClass,
    retryDelayMs: retryDelay === undefined ? null : Number(retryDelay),
  }
}

function reasonsIn(message: string): readonly string[] {
  return findJsonObjects(message).flatMap(({ error }) => {
    const details = isRecord(error) ? error['details'] : null
    if (!Array.isArray(details)) return []
    return details.flatMap((detail: unknown) =>
      isRecord(detail) && typeof detail['reason'] === 'string' ? [detail['reason']] : [],
    )
  })
}

const hourMs = 3_600_000
const inCalifornia = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hour: 'numeric',
  hourCycle: 'h23',
})

/** The next full hour at which it is midnight in California, also on the days when the clock is changed. */
export function nextPacificMidnight(now: Date): Date {
  let at = Math.floor(now.getTime() / hourMs) * hourMs
  do at += hourMs
  while (Number(inCalifornia.format(at)) !== 0)
  return new Date(at)
}
