import type { AgentEnding, FailureKind } from '../../../model/agent/agent.ts'
import { findJsonObjects, isRecord } from '../../../model/json-text.ts'
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
  const unusable = whyUnusable(run, process)
  if (unusable !== null) return failed('tools_unavailable', unusable)
  if (run.text.trim() === '') return failed('malformed', 'it gave an empty answer')
  return { ended: 'finished' }
}

/** The CLI's own warning that it could not set up the program which starts every tool. */
const setUpWarning = /^WARNING: proceeding, even though we could not create PATH aliases: .*/m

/** Why none of its tools could run, in the words of the CLI or of its sandbox; null where one did, or none was used. */
function whyUnusable({ tools }: CodexRun, { stderr }: ProcessResult): string | null {
  if (tools.worked > 0 || tools.failed === 0) return null
  return setUpWarning.exec(renderBoundedText(stderr))?.[0] ?? tools.sandbox
}

/** Codex says only on stderr, before a thread begins, that it does not know the thread or cannot read its file. */
const isThreadLost = ({ stderr }: ProcessResult): boolean =>
  /^Error: thread\/(?:resume|fork)\b/m.test(renderBoundedText(stderr))

/** The CLI's own wordings, which its messages begin with; words of a service or a model come after them, if at all. */
const kinds: readonly (readonly [RegExp, FailureKind])[] = [
  [/^You.ve hit your usage limit/, 'quota'],
  [/^Quota exceeded/, 'billing'],
  [/^Missing environment variable/, 'auth'],
  [/^Codex ran out of room in the model.s context window/, 'too_long'],
  [/^The (?:requested )?model ['`"][^'`"]*['`"] does not exist/, 'model_not_found'],
  [/^(?:Selected model is at capacity|We.re currently experiencing high demand)/, 'overloaded'],
  // A filtered answer is reported as if the connection had broken; asking again would not help.
  [/^(?:stream disconnected before completion: )?Incomplete response returned/, 'malformed'],
  [/^(?:stream disconnected before completion|error sending request)/, 'overloaded'],
]

const statusWording = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/

export function failureOf(message: string, now = new Date()): AgentEnding {
  const status = Number(statusWording.exec(message)?.[1] ?? 0)
  const refusal = refusalIn(message)
  const kind =
    kinds.find(([wording]) => wording.test(message))?.[1] ?? kindOfBody(refusal) ?? kindOfStatus(status)
  return failed(kind, refusal?.said ?? message, kind === 'quota' ? resetTimeIn(message, now) : null)
}

/** The codes of the service that a body names, which the CLI passes on as it came. */
const kindsByCode: Readonly<Record<string, FailureKind>> = {
  context_length_exceeded: 'too_long',
  model_not_found: 'model_not_found',
}

/** The body of a refusal: its code, and its words for a person. */
interface Refusal {
  readonly code: string | null
  readonly detail: string | null
  readonly said: string | null
}

function refusalIn(message: string): Refusal | null {
  if (!message.startsWith('{')) return null
  const [body] = findJsonObjects(message)
  const error = isRecord(body?.['error']) ? body['error'] : {}
  const [code, words, detail] = [error['code'], error['message'], body?.['detail']].map((value) =>
    typeof value === 'string' && value.trim() !== '' ? value : null,
  )
  return { code: code ?? null, detail: detail ?? null, said: words ?? detail ?? null }
}

function kindOfBody(refusal: Refusal | null): FailureKind | null {
  if (refusal === null) return null
  if (refusal.code !== null) return kindsByCode[refusal.code] ?? null
  // An account that used up its allowance is refused in this one wording, without a code.
  const isUnsupported = /^The '[^']*' model is not supported\b/.test(refusal.detail ?? '')
  return isUnsupported ? 'model_not_found' : null
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
