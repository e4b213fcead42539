import type { AgentEnding, FailureKind } from '../../../model/agent/agent.ts'
import { renderBoundedText } from '../../process/bounded-text.ts'
import type { ProcessResult } from '../../process/start-process.ts'
import { failed, kindOfStatus, processEnding } from '../program/ending.ts'
import type { CodexRun } from './parse.ts'

/** How a run ended: by how the CLI says that its turn ended, never by the exit code or by words in an answer. */
export function codexEnding(run: CodexRun, process: ProcessResult, timeoutMs: number): AgentEnding {
  const isOver = process.ended === 'exited' || process.ended === 'signalled'
  if (!isOver || run.turn === null) {
    const ending = processEnding(process, timeoutMs)
    if (ending.ended === 'finished') return failed('malformed', 'it ended without an end of its turn')
    return isOver && run.threadId === null && isThreadLost(process)
      ? { ...ending, conversation_lost: true }
      : ending
  }
  if (run.turn.error !== null) return failureOf(run.turn.error)
  if (run.text.trim() === '') return failed('malformed', 'it gave an empty answer')
  return { ended: 'finished' }
}

/** It says so on stderr only, before any thread is there: it knows none, or its file is gone or cannot be read. */
const isThreadLost = ({ stderr }: ProcessResult): boolean =>
  /^Error: thread\/(?:resume|fork)\b/m.test(renderBoundedText(stderr))

/** The CLI's own wordings; what a service or a model says comes after them, if at all. */
const kinds: readonly (readonly [RegExp, FailureKind])[] = [
  [/^You.ve hit your usage limit/, 'quota'],
  [/^Quota exceeded/, 'billing'],
  [/^Missing environment variable/, 'auth'],
  [/^(?:Selected model is at capacity|We.re currently experiencing high demand)/, 'overloaded'],
  // A filtered answer is told as if the connection had broken; asking again would not help.
  [/^(?:stream disconnected before completion: )?Incomplete response returned/, 'malformed'],
  [/^(?:stream disconnected before completion|error sending request)/, 'overloaded'],
]

const statusWording = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/

export function failureOf(message: string, now = new Date()): AgentEnding {
  const status = Number(statusWording.exec(message)?.[1] ?? 0)
  const kind = kinds.find(([wording]) => wording.test(message))?.[1] ?? kindOfStatus(status)
  return failed(kind, message, kind === 'quota' ? resetTimeIn(message, now) : null)
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const wording =
  /try again at (?:([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?, (\d{4}) )?(\d{1,2}):(\d{2}) ([ap])m/i

/**
 * When a used-up limit is refilled, from the CLI's own wording: `try again at 5:03 AM`, or with a day before it, both in
 * local time. A time alone is the next time that the clock shows it.
 */
export function resetTimeIn(message: string, now: Date): string | null {
  const [, month, day, year, hour, minute, half] = wording.exec(message) ?? []
  if (hour === undefined || minute === undefined || half === undefined) return null
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const reset = new Date(now)
  if (month !== undefined) reset.setFullYear(Number(year), months.indexOf(month.toLowerCase()), Number(day))
  reset.setHours(hours, Number(minute), 0, 0)
  if (month === undefined && reset <= now) reset.setDate(reset.getDate() + 1)
  return Number.isNaN(reset.getTime()) ? null : reset.toISOString()
}
