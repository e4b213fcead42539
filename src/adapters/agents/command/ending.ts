import type { AgentEnding } from '../../../model/agent/agent.ts'
import { formatDuration } from '../../../model/duration.ts'
import { renderBoundedText } from '../../process/bounded-text.ts'
import type { ProcessResult } from '../../process/process-request.ts'

const shownStderr = 2_000

/** How the program ended, from its exit only: nothing it says about limits or credit can change the kind. */
export function endingOf(result: ProcessResult, timeoutMs: number): AgentEnding {
  const failed = (kind: Extract<AgentEnding, { ended: 'failed' }>['kind'], message: string): AgentEnding => ({
    ended: 'failed',
    kind,
    message: `${message}${tailOf(result)}`,
    reset_at: null,
  })
  switch (result.ended) {
    case 'exited':
      return result.exitCode === 0
        ? { ended: 'finished' }
        : failed('crashed', `exit code ${result.exitCode ?? '?'}`)
    case 'signalled':
      return failed('crashed', `ended by ${result.signal ?? 'a signal'}`)
    case 'timed_out':
      return failed('timeout', `it was not done after ${formatDuration(timeoutMs)}`)
    case 'cancelled':
      return failed('cancelled', 'it was cancelled')
    case 'flooded':
      return failed('crashed', 'it printed without end and was stopped')
    case 'not_started':
      return failed('crashed', `it could not be started: ${result.error ?? 'unknown reason'}`)
  }
}

function tailOf(result: ProcessResult): string {
  const stderr = renderBoundedText(result.stderr).trim()
  return stderr === '' ? '' : `\n${stderr.slice(-shownStderr)}`
}
