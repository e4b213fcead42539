import type { AgentEnding, FailureKind } from '../../../model/agent/agent.ts'
import { formatDuration } from '../../../model/duration.ts'
import { renderBoundedText } from '../../process/bounded-text.ts'
import type { DuplexResult } from '../../process/duplex-process.ts'
import type { ProcessResult } from '../../process/start-process.ts'

export type Failed = Extract<AgentEnding, { ended: 'failed' }>

export const failed = (kind: FailureKind, message: string, reset_at: string | null = null): Failed => ({
  ended: 'failed',
  kind,
  message,
  reset_at,
})

/** The kind of a failure that the HTTP status of a service tells. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'billing'
  if (status === 413) return 'too_long'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'overloaded' : 'crashed'
}

/** The kind of what an agent is about to ask its service for again: null is no answer at all. */
export function kindOfRetry(status: number | null): FailureKind {
  const kind = status === null ? 'overloaded' : kindOfStatus(status)
  return kind === 'crashed' ? 'overloaded' : kind
}

type Ended = Pick<DuplexResult<unknown>, 'ended' | 'exitCode' | 'signal' | 'stderr' | 'error'>

const shownStderr = 2_000

/** How a program ended, from its exit only: nothing it says about limits or credit can change the kind. */
export function processEnding(result: ProcessResult, timeoutMs: number): AgentEnding {
  const stopped = stoppedEnding(result, timeoutMs)
  if (stopped) return { ...stopped, message: `${stopped.message}${stderrTail(result)}` }
  return result.ended === 'exited' && result.exitCode === 0 ? { ended: 'finished' } : crashedEnding(result)
}

/** The ending of a program that was stopped or did not start; null for one that came to its own end. */
export function stoppedEnding({ ended, error }: Ended, timeoutMs: number): Failed | null {
  switch (ended) {
    case 'timed_out':
      return failed('timeout', `it was not done after ${formatDuration(timeoutMs)}`)
    case 'cancelled':
      return failed('cancelled', 'it was cancelled')
    case 'flooded':
      return failed('crashed', 'it printed without end and was stopped')
    case 'not_started':
      return failed('crashed', `it could not be started: ${error ?? 'unknown reason'}`)
    case 'talked':
    case 'exited':
    case 'signalled':
      return null
  }
}

/** The ending of a program that came to its own end too early. */
export function crashedEnding(result: Ended): Failed {
  const { ended, exitCode, signal } = result
  const how = ended === 'signalled' ? `ended by ${signal ?? 'a signal'}` : `exit code ${exitCode ?? '?'}`
  return failed('crashed', `${how}${stderrTail(result)}`)
}

/** The last that it said on stderr, on a line of its own. */
export function stderrTail({ stderr }: Pick<Ended, 'stderr'>): string {
  const words = renderBoundedText(stderr).trim()
  return words === '' ? '' : `\n${words.slice(-shownStderr)}`
}
