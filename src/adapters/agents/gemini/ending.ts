import type { AgentEnding } from '../../../model/agent/agent.ts'
import { renderBoundedText } from '../../process/bounded-text.ts'
import type { ProcessResult } from '../../process/process-request.ts'
import { failed } from '../failure.ts'
import { crashedEnding, stderrTail, stoppedEnding } from '../process-ending.ts'
import { readApiError } from './api-error.ts'
import type { GeminiResult } from './parse.ts'
import { nextPacificMidnight } from './pacific-midnight.ts'

export interface GeminiOutcome {
  readonly process: ProcessResult
  readonly result: GeminiResult | null
  /** What it called an error while it ran. */
  readonly errors: readonly string[]
  readonly text: string
  readonly timeoutMs: number
  readonly isResumed: boolean
  readonly now: Date
}

const shownMessage = 2_000

/** How a run ended: by its exit code and the CLI's own error fields. What the model said decides nothing. */
export function endingOf(outcome: GeminiOutcome): AgentEnding {
  const { process, timeoutMs } = outcome
  if (process.ended === 'signalled') return crashedEnding(process)
  return stoppedEnding(process, timeoutMs) ?? exitEnding(outcome)
}

function exitEnding(outcome: GeminiOutcome): AgentEnding {
  const { process, result, errors, text } = outcome
  const code = process.exitCode ?? -1
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

function fatalEnding(code: number, message: string, { isResumed, result }: GeminiOutcome): AgentEnding {
  if (code === exitAuth) return failed('auth', message)
  if (code === exitInput && isResumed) return { ...failed('crashed', message), conversation_lost: true }
  if (code === exitTurns) return failed('malformed', message)
  // The only thing it says of a connection that broke.
  if (result?.error && /^\[API Error: exception \w+: fetch failed\b/.test(result.error.message))
    return failed('overloaded', message)
  return failed('crashed', message)
}

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
    // It names no delay for a quota of a day; those begin anew at midnight in California.
    const resetAt = retryDelayMs === null ? nextPacificMidnight(now) : new Date(now.getTime() + retryDelayMs)
    return { ...failed('quota', message), reset_at: resetAt.toISOString() }
  }
  return failed(status >= 500 ? 'overloaded' : 'crashed', message)
}

const billingReasons = new Set(['BILLING_DISABLED', 'INSUFFICIENT_G1_CREDITS_BALANCE'])
