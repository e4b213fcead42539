import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { AgentUpdate } from '../../../model/agent/agent.ts'
import { toolUpdate } from '../program/event-stream.ts'
import { afterTool, noTools, type ToolUse } from '../program/tool-use.ts'
import type { TokenCounts } from '../../../model/agent/price.ts'

const Text = z.object({ content: z.object({ type: z.literal('text'), text: z.string() }) })
const Tool = z.object({ title: z.string().catch(''), kind: z.string().nullish() })
const Usage = z.object({
  used: z.number().nonnegative().catch(0),
  cost: z.object({ amount: z.number().nonnegative(), currency: z.string() }).nullish().catch(null),
})

const ToolEnd = z.object({
  status: z.enum(['completed', 'failed']),
  content: z.array(z.unknown()).catch([]),
})

const Update = z.discriminatedUnion('sessionUpdate', [
  Text.extend({ sessionUpdate: z.literal('agent_message_chunk') }),
  Tool.extend({ sessionUpdate: z.literal('tool_call') }),
  ToolEnd.extend({ sessionUpdate: z.literal('tool_call_update') }),
  Usage.extend({ sessionUpdate: z.literal('usage_update') }),
])
type Update = z.infer<typeof Update>

/** The update of a notification, or null when it is of no interest or not readable: an agent may send what it likes. */
export function parseUpdate(params: unknown): Update | null {
  const { data } = z.object({ update: Update }).safeParse(params)
  return data?.update ?? null
}

export interface AcpWords {
  readonly text: string
  /** What the agent says that this run cost, in US dollars; null when it does not. */
  readonly costUsd: number | null
  readonly tools: ToolUse
}

const keptText = 8 * 1024 * 1024
const longestSilenceMs = 5_000

/** What an agent said, up to the length that is kept. */
function createKeptText() {
  const pieces: string[] = []
  let length = 0
  return {
    add(text: string): void {
      if (length < keptText) pieces.push(text)
      length += text.length
    },
    isEmpty: (): boolean => pieces.length === 0,
    whole: (): string => pieces.join(''),
  }
}

/** Waits until the agent was silent for that long, or until waiting itself takes too long. */
async function untilSilent(heardAt: () => number, quietMs: number): Promise<void> {
  const begunAt = performance.now()
  for (;;) {
    const since = performance.now() - Math.max(begunAt, heardAt())
    if (since >= quietMs || performance.now() - begunAt > longestSilenceMs) return
    await delay(quietMs - since)
  }
}

/** Collects what an agent says, and passes it on as it happens. */
export function createUpdateReader(onUpdate: (update: AgentUpdate) => void) {
  const said = createKeptText()
  /** Of the whole conversation, also of its earlier runs. */
  let costUsd: number | null = null
  let earlierUsd = 0
  let isOpen = false
  let tools = noTools
  let heardAt = 0

  const runCost = (): number | null => (costUsd === null ? null : Math.max(0, costUsd - earlierUsd))

  function passOn(update: Update): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        said.add(update.content.text)
        onUpdate({ type: 'text', text: update.content.text })
        break
      case 'tool_call':
        // What is said before and after a tool are two paragraphs.
        if (!said.isEmpty()) said.add('\n')
        onUpdate(toolUpdate(update.kind ?? 'other', update.title.replaceAll(/\s+/g, ' ')))
        break
      case 'tool_call_update': {
        const [first] = update.content.flatMap((part) => Text.safeParse(part).data ?? [])
        tools = afterTool(tools, { isError: update.status === 'failed', text: first?.content.text ?? '' })
        break
      }
      case 'usage_update':
        onUpdate({ type: 'usage', tokens: update.used, cost_usd: runCost() ?? 0 })
        break
    }
  }

  return {
    read(params: unknown): void {
      heardAt = performance.now()
      const update = parseUpdate(params)
      if (update?.sessionUpdate === 'usage_update' && update.cost?.currency === 'USD')
        costUsd = update.cost.amount
      if (update && isOpen) passOn(update)
    },
    silence: (quietMs: number): Promise<void> => untilSilent(() => heardAt, quietMs),
    /** Listens from now on: what came before is an earlier conversation, which the agent repeats. */
    open: (): void => {
      isOpen = true
      earlierUsd = costUsd ?? 0
    },
    words: (): AcpWords => ({ text: said.whole(), costUsd: runCost(), tools }),
  }
}

const count = z.number().nonnegative().catch(0)

/** The tokens of a prompt, as the protocol is about to define them. */
const PromptTokens = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedReadTokens: count,
  cachedWriteTokens: count,
  totalTokens: z.number().nonnegative().optional().catch(undefined),
})

const Counts = z.object({
  input_tokens: z.number().nonnegative(),
  output_tokens: z.number().nonnegative(),
})

/** The tokens of a prompt as Gemini reports them, outside of the protocol. */
const Quota = z.object({
  token_count: Counts,
  model_usage: z.array(z.object({ model: z.string(), token_count: Counts })).catch([]),
})

export interface PromptUsage {
  readonly tokens: number
  readonly byModel: ReadonlyMap<string, TokenCounts>
}

/** What a prompt used, wherever the agent reports it. */
export function usageOf(response: unknown, model: string | null): PromptUsage {
  const { usage } = z.object({ usage: PromptTokens }).safeParse(response).data ?? {}
  if (usage) {
    const counts = {
      input: usage.inputTokens + usage.cachedWriteTokens,
      cachedInput: usage.cachedReadTokens,
      output: usage.outputTokens,
    }
    const tokens = usage.totalTokens ?? counts.input + counts.cachedInput + counts.output
    return { tokens, byModel: model === null ? new Map() : new Map([[model, counts]]) }
  }
  const quota = z.object({ _meta: z.object({ quota: Quota }) }).safeParse(response).data?._meta.quota
  if (!quota) return { tokens: 0, byModel: new Map() }
  const { input_tokens, output_tokens } = quota.token_count
  return {
    tokens: input_tokens + output_tokens,
    byModel: new Map(
      quota.model_usage.map(({ model: name, token_count }) => [
        name,
        { input: token_count.input_tokens, cachedInput: 0, output: token_count.output_tokens },
      ]),
    ),
  }
}
