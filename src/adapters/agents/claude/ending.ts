import type { AgentEnding, FailureKind } from '../../../model/agent/agent.ts'
import type { ProcessResult } from '../../process/start-process.ts'
import { failed, kindOfStatus, processEnding } from '../program/ending.ts'
import { unusableEnding } from '../program/tool-use.ts'
import type { ClaudeRun } from './parse.ts'

type Result = NonNullable<ClaudeRun['result']>

/** How a run ended: by what the last result says of itself, never by the exit code or by words in an answer. */
export function claudeEnding(run: ClaudeRun, process: ProcessResult, timeoutMs: number): AgentEnding {
  const isOver = process.ended === 'exited' || process.ended === 'signalled'
  if (!isOver || run.result === null) {
    const ending = processEnding(process, timeoutMs)
    return ending.ended === 'failed' ? ending : failed('malformed', 'it ended without a result')
  }
  const { result } = run
  if (result.is_error) return failureOf(run, result)
  if (result.terminal_reason && result.terminal_reason !== 'completed')
    return failed('malformed', `it stopped before it was done: ${result.terminal_reason}`)
  const unusable = unusableEnding(run.tools)
  if (unusable !== null) return unusable
  if (textOf(result).trim() === '') return failed('malformed', 'it gave an empty answer')
  return { ended: 'finished' }
}

/**
 * How the shortening of a conversation ended: its result holds no answer, and is not marked as an error when it failed.
 */
export function compactionEnding(run: ClaudeRun, process: ProcessResult, timeoutMs: number): AgentEnding {
  if (run.compaction?.isDone && run.result?.is_error === false) return { ended: 'finished' }
  if (run.compaction?.error) return failed('crashed', run.compaction.error)
  const ending = claudeEnding(run, process, timeoutMs)
  return ending.ended === 'failed' ? ending : failed('malformed', 'it did not say that it has compacted')
}

/** The answer: the structured one, where it was asked for and given. */
export const textOf = (result: Pick<Result, 'result' | 'structured_output'>): string =>
  result.structured_output === undefined ? (result.result ?? '') : JSON.stringify(result.structured_output)

function failureOf(run: ClaudeRun, result: Result): AgentEnding {
  const kind = kindOf(run, result)
  const said = result.errors?.join('; ') || result.result || result.terminal_reason || 'it gave no reason'
  const reset = kind === 'quota' && run.limitResetsAt !== null ? isoOf(run.limitResetsAt) : null
  const isLost = result.errors?.some((error) => error.startsWith('No conversation found')) ?? false
  return { ...failed(kind, said, reset), ...(isLost ? { conversation_lost: true } : {}) }
}

const isoOf = (unixSeconds: number): string => new Date(unixSeconds * 1000).toISOString()

/** Ends that are no fault of the CLI or the service: the model gave no complete answer within its limits. */
const unanswered = ['max_turns', 'structured_output_retry_exhausted']

const kindsByError: Readonly<Record<string, FailureKind>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  billing_error: 'billing',
  rate_limit: 'rate_limited',
  overloaded: 'overloaded',
  server_error: 'overloaded',
  max_output_tokens: 'malformed',
  model_not_found: 'model_not_found',
}

const kindsByReason: Readonly<Record<string, FailureKind>> = {
  budget_exhausted: 'budget',
  prompt_too_long: 'too_long',
}

function kindOf(run: ClaudeRun, result: Result): FailureKind {
  const { terminal_reason, stop_reason, api_error_status: status, api_error_type: type, api_error } = result
  if (unanswered.includes(terminal_reason ?? '') || stop_reason === 'refusal') return 'malformed'
  const byReason = kindsByReason[terminal_reason ?? '']
  if (byReason) return byReason
  if (api_error === 'usage_limit_reached') return 'quota'
  if (type === 'billing_error' || status === 402) return 'billing'
  if (type === 'overloaded_error') return 'overloaded'
  if (type === 'request_too_large') return 'too_long'
  return kindsByError[run.error ?? ''] ?? kindOfStatus(status ?? 0)
}
