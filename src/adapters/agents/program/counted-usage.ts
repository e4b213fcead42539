import type { AgentUpdate } from '../../../model/agent/agent.ts'
import { estimateCost, type ModelPrice, type TokenCounts } from '../../../model/agent/price.ts'

interface Spent {
  readonly tokens: number
  readonly cost_usd: number
  readonly cost_estimated?: true
}

/** What a run used, as it was counted on the way to its model. */
export interface CountedUsage {
  readonly onUsage: (byModel: ReadonlyMap<string, TokenCounts>) => void
  /** What the program told, and where it told nothing, since it was killed or never tells, what was counted. */
  or(told: Spent): Spent
}

/** What a program used by prices of ours; a cost that nobody can tell is none. */
export const estimated = (told: { readonly tokens: number; readonly cost_usd: number | null }): Spent => ({
  tokens: told.tokens,
  cost_usd: told.cost_usd ?? 0,
  ...(told.tokens > 0 && told.cost_usd !== null && { cost_estimated: true }),
})

/** Listens to what is counted; with `onUpdate` it is told at once, for a program that tells it at its end or not at all. */
export function countUsage(
  prices: Readonly<Record<string, ModelPrice>>,
  onUpdate: (update: AgentUpdate) => void = () => undefined,
): CountedUsage {
  let counted: Spent = { tokens: 0, cost_usd: 0 }
  return {
    onUsage(byModel) {
      const tokens = [...byModel.values()].reduce(
        (sum, { input, cachedInput, output }) => sum + input + cachedInput + output,
        0,
      )
      counted = estimated({ tokens, cost_usd: estimateCost(byModel, prices) })
      onUpdate({ type: 'usage', tokens, cost_usd: counted.cost_usd })
    },
    or: (told) => (told.tokens > 0 || told.cost_usd > 0 ? told : counted),
  }
}
