import { z } from 'zod'

/** US dollars per million tokens. */
export const ModelPrice = z.object({
  input_usd: z.number(),
  cached_input_usd: z.number(),
  output_usd: z.number(),
})
export type ModelPrice = z.infer<typeof ModelPrice>

/** Tokens by what they cost: read anew, read from a cache, written (thoughts included). */
export interface TokenCounts {
  readonly input: number
  readonly cachedInput: number
  readonly output: number
}

/** What the tokens cost in US dollars. */
export const costOf = (tokens: TokenCounts, price: ModelPrice): number =>
  (tokens.input * price.input_usd +
    tokens.cachedInput * price.cached_input_usd +
    tokens.output * price.output_usd) /
  1_000_000

/** The cost over all models that were used; null when a model that was used has no price. */
export function estimateCost(
  tokensByModel: ReadonlyMap<string, TokenCounts>,
  prices: Readonly<Record<string, ModelPrice>>,
): number | null {
  let sum = 0
  for (const [model, tokens] of tokensByModel) {
    if (tokens.input + tokens.cachedInput + tokens.output === 0) continue
    const price = Object.hasOwn(prices, model) ? prices[model] : undefined
    if (!price) return null
    sum += costOf(tokens, price)
  }
  return sum
}
