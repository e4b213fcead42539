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
  /** The program's own figures; the counted ones where it gave none, because it was killed or never gives any. */
  or(reported: Spent): Spent
}

/** The cost of a run by our own prices; null where nobody can tell it. */
export const estimated = (reported: {
  readonly tokens: number
  readonly cost_usd: number | null
}): Spent => ({
  tokens: reported.tokens,
  cost_usd: reported.cost_usd ?? 0,
  ...(reported.tokens > 0 && reported.cost_usd !== null && { cost_estimated: true }),
})

/** Listens to the counter; `onUpdate` hears each count at once, for programs that report at their end or not at all. */
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
    or: (reported) => (reported.tokens > 0 || reported.cost_usd > 0 ? reported : counted),
  }
}
