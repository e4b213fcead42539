import { z } from 'zod'
import type { TokenCounts } from '../../../model/agent/price.ts'
import { parseEventLine, toolUpdate } from '../program/event-stream.ts'
import type { AgentUpdate } from '../../../model/agent/agent.ts'
import { afterTool, noTools, type ToolUse } from '../program/tool-use.ts'

const count = z.number().int().nonnegative().catch(0)

const ModelStats = z.object({ total_tokens: count, input_tokens: count, cached: count })

const Stats = z.object({
  total_tokens: count,
  models: z.record(z.string(), ModelStats).catch({}),
})

const GeminiEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('init'), session_id: z.string(), model: z.string().optional() }),
  z.object({ type: z.literal('message'), role: z.string(), content: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    tool_name: z.string(),
    parameters: z.record(z.string(), z.unknown()).catch({}),
  }),
  z.object({
    type: z.literal('tool_result'),
    status: z.string(),
    error: z.object({ message: z.string() }).optional().catch(undefined),
  }),
  z.object({ type: z.literal('error'), severity: z.string(), message: z.string() }),
  z.object({
    type: z.literal('result'),
    status: z.string(),
    error: z.object({ type: z.string(), message: z.string() }).optional().catch(undefined),
    stats: Stats.optional().catch(undefined),
  }),
])

/** One line of the CLI's stream. */
export type GeminiEvent = z.infer<typeof GeminiEvent>
export type GeminiResult = Extract<GeminiEvent, { type: 'result' }>

export const parseGeminiLine = (line: string): GeminiEvent | null => parseEventLine(GeminiEvent, line)

/** What was used, by model; thoughts count as output. */
export const tokensByModel = (result: GeminiResult | null): ReadonlyMap<string, TokenCounts> =>
  new Map(
    Object.entries(result?.stats?.models ?? {}).map(([model, stats]) => [
      model,
      {
        input: Math.max(0, stats.input_tokens - stats.cached),
        cachedInput: stats.cached,
        output: Math.max(0, stats.total_tokens - stats.input_tokens),
      },
    ]),
  )

/** What a tool is used on: its first parameter in words. */
const detailOf = (parameters: Readonly<Record<string, unknown>>): string => {
  const first = Object.values(parameters).find((value) => typeof value === 'string')
  return (first ?? '').replaceAll(/\s+/g, ' ')
}

export interface GeminiAnswer {
  readonly text: string
  readonly conversationId: string | null
  readonly model: string | null
  readonly errors: readonly string[]
  readonly result: GeminiResult | null
  readonly tools: ToolUse
}

const keptText = 8 * 1024 * 1024

/** Collects what a run says, line by line, and passes it on as it happens. */
export function createGeminiReader(onUpdate: (update: AgentUpdate) => void) {
  const pieces: string[] = []
  let length = 0
  let conversationId: string | null = null
  let model: string | null = null
  let result: GeminiResult | null = null
  const errors: string[] = []
  let tools = noTools

  function say(text: string): void {
    if (length < keptText) pieces.push(text)
    length += text.length
  }

  return {
    read(line: string): void {
      const event = parseGeminiLine(line)
      switch (event?.type) {
        case 'init':
          conversationId = event.session_id
          model = event.model ?? null
          break
        case 'message':
          if (event.role !== 'assistant') break
          say(event.content)
          onUpdate({ type: 'text', text: event.content })
          break
        case 'tool_use':
          // What is said before and after a tool are two paragraphs.
          if (pieces.length > 0) say('\n')
          onUpdate(toolUpdate(event.tool_name, detailOf(event.parameters)))
          break
        case 'error':
          if (event.severity === 'error') errors.push(event.message)
          break
        case 'result':
          result = event
          break
        case 'tool_result':
          tools = afterTool(tools, { isError: event.status === 'error', text: event.error?.message ?? '' })
          break
        case undefined:
          break
      }
    },
    answer: (): GeminiAnswer => ({ text: pieces.join(''), conversationId, model, errors, result, tools }),
  }
}
