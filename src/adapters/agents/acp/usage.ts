import { z } from 'zod'
import type { TokenCounts } from '../../../model/agent/price.ts'

const count = z.number().nonnegative().catch(0)

/** The tokens of a prompt, as the protocol is about to define them. */
const Usage = z.object({
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

/** The same as Gemini tells them, beside the protocol. */
const Quota = z.object({
  token_count: Counts,
  model_usage: z.array(z.object({ model: z.string(), token_count: Counts })).catch([]),
})

export interface PromptUsage {
  readonly tokens: number
  readonly byModel: ReadonlyMap<string, TokenCounts>
}

/** What a prompt used, wherever the agent tells it. */
export function usageOf(response: unknown, model: string | null): PromptUsage {
  const { usage } = z.object({ usage: Usage }).safeParse(response).data ?? {}
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
