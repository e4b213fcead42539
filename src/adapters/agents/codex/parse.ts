import { z } from 'zod'
import type { AgentEnding, AgentUpdate, FailureKind } from '../../../model/agent/agent.ts'
import { renderBoundedText } from '../../process/bounded-text.ts'
import type { ProcessResult } from '../../process/start-process.ts'
import { failed, kindOfStatus, processEnding } from '../program/ending.ts'
import { parseEventLine, toolUpdate, type Heard } from '../program/event-stream.ts'

const count = z.number().catch(0)

/** Tokens of a whole thread; what was cached is part of the input. */
export const ThreadTotals = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  output_tokens: count,
})
export type ThreadTotals = z.infer<typeof ThreadTotals>

const text = z.string()

const Item = z.union([
  z.object({ type: z.literal('agent_message'), text }),
  z.object({ type: z.literal('command_execution'), command: text }),
  z.object({ type: z.literal('file_change'), changes: z.array(z.object({ path: text })) }),
  z.object({ type: z.literal('mcp_tool_call'), server: text.catch(''), tool: text }),
  z.object({ type: z.literal('collab_tool_call'), tool: text, prompt: text.nullish().catch(null) }),
  z.object({ type: z.literal('web_search'), query: text.catch('') }),
])

const Event = z.union([
  z.object({ type: z.literal('thread.started'), thread_id: text }),
  z.object({ type: z.enum(['item.started', 'item.completed']), item: Item }),
  z.object({ type: z.literal('turn.completed'), usage: ThreadTotals }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: text }) }),
])
type Event = z.infer<typeof Event>

/** What a run has told so far, of what its ending depends on. */
export interface CodexRun {
  readonly threadId: string | null
  /** The last message. */
  readonly text: string
  /** How the turn ended; null while it has not. */
  readonly turn: { readonly error: string | null } | null
  /** Over all runs of the thread, and over those of the thread it was copied from. Sub-agents are not in it. */
  readonly totals: ThreadTotals | null
}

export const newCodexRun: CodexRun = { threadId: null, text: '', turn: null, totals: null }

/** One line of the stream → what is known now, and what to tell. Lines that are not understood change nothing. */
export function hearCodex(run: CodexRun, line: string): Heard<CodexRun> {
  const event = parseEventLine(Event, line)
  switch (event?.type) {
    case 'thread.started':
      return { run: { ...run, threadId: event.thread_id }, updates: [] }
    case 'item.started':
      return { run, updates: toolUpdates(event.item) }
    case 'item.completed':
      if (event.item.type !== 'agent_message') return { run, updates: [] }
      return { run: { ...run, text: event.item.text }, updates: [{ type: 'text', text: event.item.text }] }
    case 'turn.completed':
      return { run: { ...run, turn: { error: null }, totals: event.usage }, updates: [] }
    case 'turn.failed':
      return { run: { ...run, turn: { error: event.error.message } }, updates: [] }
    case undefined:
      return { run, updates: [] }
  }
}

function toolUpdates(item: z.infer<typeof Item>): readonly AgentUpdate[] {
  switch (item.type) {
    case 'agent_message':
      return []
    case 'command_execution':
      return [toolUpdate('exec_command', item.command)]
    case 'file_change':
      return [toolUpdate('apply_patch', item.changes.map(({ path }) => path).join(', '))]
    case 'mcp_tool_call':
      return [toolUpdate(item.tool, item.server)]
    case 'collab_tool_call':
      return [toolUpdate(item.tool, item.prompt ?? '')]
    case 'web_search':
      return [toolUpdate('web_search', item.query)]
  }
}

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
