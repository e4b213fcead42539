import { z } from 'zod'
import type { AgentUpdate } from '../../../model/agent/agent.ts'
import { kindOfRetry } from '../program/ending.ts'
import { priceCall, tokensUsed, ClaudeUsage, type LiveCall } from './live-call.ts'
import { parseEventLine, toolUpdate, type Heard } from '../program/event-stream.ts'
import { afterTool, noTools, type ToolUse } from '../program/tool-use.ts'

const count = z.number().catch(0)
const ModelUsage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  costUSD: count,
  costBasis: z.string().optional(),
})
const word = z.string().nullish().catch(null)

const Block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('tool_use'), name: z.string(), input: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.string() }),
])

const ToolResult = z.object({
  type: z.literal('tool_result'),
  is_error: z.boolean().catch(false),
  content: z.unknown(),
})

const Event = z.union([
  z.object({
    type: z.literal('result'),
    is_error: z.boolean(),
    terminal_reason: word,
    stop_reason: word,
    result: word,
    structured_output: z.unknown().optional(),
    errors: z.array(z.string()).optional().catch(undefined),
    api_error_status: z.number().nullish().catch(null),
    api_error_type: word,
    api_error: word,
    session_id: word,
    total_cost_usd: count,
    usage: ClaudeUsage.optional().catch(undefined),
    model_usage_since_last_result: z.record(z.string(), ModelUsage).optional().catch(undefined),
  }),
  z.object({
    type: z.literal('assistant'),
    /** The class of an error that the CLI reports in place of an answer. */
    error: word,
    message: z.object({
      id: z.string().catch(''),
      model: z.string().catch(''),
      content: z.array(Block),
      usage: ClaudeUsage.optional(),
    }),
  }),
  z.object({
    type: z.literal('user'),
    message: z.object({ content: z.array(z.union([ToolResult, z.object({ type: z.string() })])) }),
  }),
  z.object({
    type: z.literal('system'),
    subtype: z.string(),
    session_id: word,
    model: word,
    fallback_model: word,
    attempt: z.number().optional().catch(undefined),
    max_retries: z.number().optional().catch(undefined),
    retry_delay_ms: z.number().optional().catch(undefined),
    error_status: z.number().nullish().catch(null),
    error: word,
    compact_result: word,
    compact_error: word,
  }),
  z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.object({ status: z.string(), resetsAt: z.number().nullish().catch(null) }),
  }),
])
type Event = z.infer<typeof Event>
type Result = Extract<Event, { type: 'result' }>

/** What a run has printed so far that its ending depends on. */
export interface ClaudeRun {
  readonly sessionId: string | null
  readonly model: string | null
  /** The last one: a run may print several. */
  readonly result: Pick<
    Result,
    | 'is_error'
    | 'terminal_reason'
    | 'stop_reason'
    | 'result'
    | 'structured_output'
    | 'errors'
    | 'api_error_status'
    | 'api_error_type'
    | 'api_error'
  > | null
  readonly error: string | null
  readonly tools: ToolUse
  /** When a used-up limit is refilled, in seconds of Unix time. */
  readonly limitResetsAt: number | null
  readonly compaction: { readonly isDone: boolean; readonly error: string | null } | null
  /** Of finished parts; exact. */
  readonly tokens: number
  readonly costUsd: number
  /** The CLI did not know the price of a model and guessed. */
  readonly isCostGuessed: boolean
  /** Of the part that runs, by message; an estimate until its result is there. */
  readonly live: ReadonlyMap<string, LiveCall>
}

export const newClaudeRun: ClaudeRun = {
  sessionId: null,
  model: null,
  result: null,
  error: null,
  tools: noTools,
  limitResetsAt: null,
  compaction: null,
  tokens: 0,
  costUsd: 0,
  isCostGuessed: false,
  live: new Map(),
}

/**
 * One line of the stream → what is known now, and the updates to pass on. Lines that are not understood change nothing.
 */
export function hearClaude(run: ClaudeRun, line: string): Heard<ClaudeRun> {
  const event = parseEventLine(Event, line)
  switch (event?.type) {
    case 'assistant':
      return hearAssistant(run, event)
    case 'result':
      return hearResult(run, event)
    case 'user':
      return { run: { ...run, tools: event.message.content.reduce(hearTool, run.tools) }, updates: [] }
    case 'system':
      return { run: hearSystem(run, event), updates: retryOf(event) }
    case 'rate_limit_event': {
      const { status, resetsAt } = event.rate_limit_info
      return { run: status === 'rejected' ? { ...run, limitResetsAt: resetsAt ?? null } : run, updates: [] }
    }
    case undefined:
      return { run, updates: [] }
  }
}

function hearAssistant(run: ClaudeRun, event: Extract<Event, { type: 'assistant' }>): Heard<ClaudeRun> {
  const { id, content, usage, model } = event.message
  if (event.error) return { run: { ...run, error: event.error }, updates: [] }
  const call = priceCall(usage, { model, content, before: run.live.get(id) })
  const next = { ...run, live: new Map(run.live).set(id, call) }
  return { run: next, updates: [...content.flatMap(updatesOf), usageUpdate(next)] }
}

const hearTool = (tools: ToolUse, block: z.infer<typeof ToolResult> | { readonly type: string }): ToolUse =>
  'is_error' in block
    ? afterTool(tools, {
        isError: block.is_error,
        text: typeof block.content === 'string' ? block.content : '',
      })
    : tools

const usageUpdate = (run: ClaudeRun): AgentUpdate => ({
  type: 'usage',
  tokens: totalTokens(run),
  cost_usd: totalCost(run),
})

/** The best that is known of what a run cost: calls that belong to no result are estimated. */
export const totalCost = (run: ClaudeRun): number =>
  run.live.values().reduce((sum, { usd }) => sum + usd, run.costUsd)

export const isCostEstimated = ({ isCostGuessed, live }: ClaudeRun): boolean =>
  isCostGuessed || live.values().some(({ usd }) => usd > 0)

/** The best that is known of all tokens of a run. */
export const totalTokens = (run: ClaudeRun): number =>
  run.live.values().reduce((sum, { tokens }) => sum + tokens, run.tokens)

function updatesOf(block: z.infer<typeof Block>): readonly AgentUpdate[] {
  if ('text' in block) return block.text === '' ? [] : [{ type: 'text', text: block.text }]
  if (!('name' in block)) return []
  const { file_path, command, pattern, description } = block.input
  const detail = [file_path, command, pattern, description].find((value) => typeof value === 'string')
  return [toolUpdate(block.name, String(detail ?? ''))]
}

function hearResult(run: ClaudeRun, event: Result): Heard<ClaudeRun> {
  const models = Object.values(event.model_usage_since_last_result ?? {})
  // Other figures of a result are totals over all runs of the conversation; a version without these has no better ones.
  const hasOwn = event.model_usage_since_last_result !== undefined
  const tokens = hasOwn
    ? models.reduce(
        (sum, model) =>
          sum +
          model.inputTokens +
          model.outputTokens +
          model.cacheReadInputTokens +
          model.cacheCreationInputTokens,
        0,
      )
    : tokensUsed(event.usage)
  const costUsd = hasOwn ? models.reduce((sum, model) => sum + model.costUSD, 0) : event.total_cost_usd
  const next: ClaudeRun = {
    ...run,
    sessionId: event.session_id ?? run.sessionId,
    result: event,
    tokens: run.tokens + tokens,
    costUsd: run.costUsd + costUsd,
    isCostGuessed: run.isCostGuessed || models.some(({ costBasis }) => costBasis === 'unknown'),
    // A result that was interrupted says nothing of the calls before it.
    live: hasOwn && models.length === 0 ? run.live : new Map(),
  }
  return { run: next, updates: [usageUpdate(next)] }
}

/** The CLI itself waits a little and asks the service again. */
function retryOf(event: Extract<Event, { type: 'system' }>): readonly AgentUpdate[] {
  if (event.subtype !== 'api_retry') return []
  const why = [event.error_status, event.error].filter(Boolean).join(' ') || 'no connection'
  const again = `try ${event.attempt ?? 1} of ${event.max_retries ?? 1}`
  const kind = kindOfRetry(event.error_status ?? null)
  return [{ type: 'waiting', kind, reason: `${why}, ${again}`, ms: event.retry_delay_ms ?? 0 }]
}

function hearSystem(run: ClaudeRun, event: Extract<Event, { type: 'system' }>): ClaudeRun {
  if (event.subtype === 'init')
    return { ...run, sessionId: event.session_id ?? null, model: event.model ?? null }
  // It goes on with the model that a person named for when the first one is overloaded.
  if (event.subtype === 'model_fallback') return { ...run, model: event.fallback_model ?? run.model }
  if (event.subtype !== 'status' || !event.compact_result) return run
  const isDone = event.compact_result === 'success'
  return { ...run, compaction: { isDone, error: event.compact_error ?? null } }
}
