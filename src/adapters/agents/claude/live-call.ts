import { z } from 'zod'
import { costOf, type ModelPrice } from '../../../model/agent/price.ts'

const count = z.number().catch(0)

/** What a call has read and written, as the service counts it. */
export const ClaudeUsage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
})
export type ClaudeUsage = z.infer<typeof ClaudeUsage>

export const tokensUsed = (usage: ClaudeUsage | undefined): number =>
  usage === undefined
    ? 0
    : usage.input_tokens +
      usage.cache_creation_input_tokens +
      usage.cache_read_input_tokens +
      usage.output_tokens

/** One call of a model, as far as the stream tells it. */
export interface LiveCall {
  readonly tokens: number
  readonly usd: number
}

/** US dollars per million tokens, never less than the list says: read anew, read from the cache, written. */
const listPrices: readonly (readonly [RegExp, ModelPrice])[] = [
  [/haiku/, { input_usd: 1, cached_input_usd: 0.1, output_usd: 5 }],
  [/sonnet/, { input_usd: 3, cached_input_usd: 0.3, output_usd: 15 }],
  [/(?:)/, { input_usd: 15, cached_input_usd: 1.5, output_usd: 75 }],
]
/** What is written into the cache costs more than what is only read. */
const cacheWriteFactor = 1.25
const charactersPerToken = 3
/** The program's own messages, such as that the service refused it, stand in the stream like answers of a model. */
const ownWords = '<synthetic>'

interface Call {
  readonly model: string
  readonly content: readonly unknown[]
  /** The part of it that was known before: the stream tells its blocks one by one. */
  readonly before: LiveCall | undefined
}

/** The tokens and cost of a call so far. The stream counts the tokens that were read, but not those that it shows being written. */
export function priceCall(usage: ClaudeUsage | undefined, { model, content, before }: Call): LiveCall {
  const price = listPrices.find(([family]) => family.test(model))?.[1]
  if (!usage || !price || model === ownWords) return before ?? { tokens: 0, usd: 0 }
  const told = Math.ceil(JSON.stringify(content).length / charactersPerToken)
  const written = costOf({ input: 0, cachedInput: 0, output: Math.max(usage.output_tokens, told) }, price)
  const input = usage.input_tokens + cacheWriteFactor * usage.cache_creation_input_tokens
  const read = costOf({ input, cachedInput: usage.cache_read_input_tokens, output: 0 }, price)
  return { tokens: tokensUsed(usage), usd: before ? before.usd + written : read + written }
}
