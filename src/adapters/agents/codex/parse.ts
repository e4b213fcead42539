import { z } from 'zod'
import type { AgentUpdate } from '../../../model/agent/agent.ts'
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
  z.object({
    type: z.literal('command_execution'),
    command: text,
    aggregated_output: text.catch(''),
    status: text.catch(''),
  }),
  z.object({
    type: z.literal('file_change'),
    changes: z.array(z.object({ path: text })),
    status: text.catch(''),
  }),
  z.object({ type: z.literal('mcp_tool_call'), server: text.catch(''), tool: text }),
  z.object({ type: z.literal('collab_tool_call'), tool: text, prompt: text.nullish().catch(null) }),
  z.object({ type: z.literal('web_search'), query: text.catch('') }),
])

const Event = z.union([
  z.object({ type: z.literal('thread.started'), thread_id: text }),
  z.object({ type: z.enum(['item.started', 'item.completed']), item: Item }),
  z.object({ type: z.literal('turn.completed'), usage: ThreadTotals }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: text }) }),
  z.object({ type: z.literal('error'), message: text }),
])
type Event = z.infer<typeof Event>

/** What a run has printed so far that its ending depends on. */
export interface CodexRun {
  readonly threadId: string | null
  /** The last message. */
  readonly text: string
  /** How the turn ended; null while it has not. */
  readonly turn: { readonly error: string | null } | null
  /** Over all runs of the thread, and over those of the thread it was copied from. Sub-agents are not in it. */
  readonly totals: ThreadTotals | null
  readonly tools: ToolEnds
  /** How often its model must have answered: each tool is asked for by an answer. */
  readonly calls: number
}

/** What became of the tools that it ran in its sandbox. */
interface ToolEnds {
  readonly worked: number
  readonly failed: number
  /** What the sandbox itself said when it did not start. */
  readonly sandbox: string | null
}

export const newCodexRun: CodexRun = {
  threadId: null,
  text: '',
  turn: null,
  totals: null,
  tools: { worked: 0, failed: 0, sandbox: null },
  calls: 0,
}

/**
 * One line of the stream → what is known now, and the updates to pass on. Lines that are not understood change nothing.
 */
export function hearCodex(run: CodexRun, line: string): Heard<CodexRun> {
  const event = parseEventLine(Event, line)
  switch (event?.type) {
    case 'thread.started':
      return { run: { ...run, threadId: event.thread_id }, updates: [] }
    case 'item.started':
      return { run: { ...run, calls: run.calls + 1 }, updates: toolUpdates(event.item) }
    case 'item.completed':
      if (event.item.type !== 'agent_message')
        return { run: { ...run, tools: toolEnds(run.tools, event.item) }, updates: [] }
      return { run: { ...run, text: event.item.text }, updates: [{ type: 'text', text: event.item.text }] }
    case 'turn.completed':
      return { run: { ...run, turn: { error: null }, totals: event.usage }, updates: [] }
    case 'turn.failed':
      return { run: { ...run, turn: { error: event.error.message } }, updates: [] }
    case 'error':
      return { run, updates: retryOf(event.message) }
    case undefined:
      return { run, updates: [] }
  }
}

/** An error that the CLI goes on from by itself; any other is told again as the end of the turn. */
const retryOf = (message: string): readonly AgentUpdate[] =>
  /^Reconnecting\b/.test(message) ? [{ type: 'waiting', kind: 'overloaded', reason: message, ms: 0 }] : []

const sandboxWords = /^bwrap: .*/m

function toolEnds(ends: ToolEnds, item: z.infer<typeof Item>): ToolEnds {
  if (item.type !== 'command_execution' && item.type !== 'file_change') return ends
  const said = item.type === 'command_execution' ? sandboxWords.exec(item.aggregated_output)?.[0] : undefined
  const isStarted = item.status === 'completed' || (item.type === 'command_execution' && said === undefined)
  return isStarted
    ? { ...ends, worked: ends.worked + 1 }
    : { ...ends, failed: ends.failed + 1, sandbox: ends.sandbox ?? said ?? null }
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
